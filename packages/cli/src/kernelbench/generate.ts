/** Asks a model for kernels: several questions at once, each answer kept as soon as it is there. */
import { KernelBotError, kernelKeyText, type KernelKey } from "@kernelbot/core";
import { UsageError } from "../exit.ts";
import { oneLine } from "../text.ts";
import { kernelOf } from "./answer.ts";
import type { Ask, Completion } from "./completion.ts";
import { EndpointError } from "./endpoint.ts";
import type { GenerationFolder } from "./generation-folder.ts";
import { Patience } from "./patience.ts";

/** A kernel to ask for. */
export interface Wanted extends KernelKey {
  prompt: string;
}

export interface Generation {
  /** How many kernels are wanted, and for how many of these there was an answer before. */
  wanted: number;
  before: number;
  /** Questions under way. */
  asking: number;
  kernels: number;
  /** Answers without a kernel, and questions without an answer. */
  withoutCode: string[];
  failed: { key: string; message: string }[];
}

export interface GenerateOptions {
  ask: Ask;
  /** The system prompt; null for none. */
  system: string | null;
  folder: GenerationFolder;
  wanted: readonly Wanted[];
  concurrency: number;
  signal: AbortSignal;
  /** Called whenever something has changed; with what tells of a question that has ended. */
  onChange: (generation: Generation, told?: Told) => void;
  /** Pauses between tries; ms. */
  pausesMs?: readonly number[] | undefined;
}

export interface Told {
  line: string;
  /** Whether it asks for a look: there is no kernel. */
  look: boolean;
}

/** The endpoint knows neither us nor the model: no question will be answered. */
const HOPELESS = [401, 403, 404];
/** After so many failures in a row, each tried again as often as it may, the others are not asked any more. */
const FAILURES_IN_A_ROW = 10;

/**
 * Asks for all that is not there yet.
 * @throws UsageError where the endpoint refuses us; KernelBotError `unavailable` where it fails again and again
 */
export async function generate(options: GenerateOptions): Promise<Generation> {
  const { ask, system, folder, wanted, concurrency, onChange } = options;
  const patience = new Patience(options.pausesMs);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const there = await Promise.all(wanted.map((each) => folder.has(each)));
  const left = wanted.filter((_, at) => there[at] === false);
  const generation: Generation = {
    wanted: wanted.length,
    before: wanted.length - left.length,
    asking: 0,
    kernels: 0,
    withoutCode: [],
    failed: [],
  };
  let failuresInARow = 0;

  async function askFor(each: Wanted): Promise<Told> {
    const key = kernelKeyText(each);
    const question = { system, prompt: each.prompt };
    const startedMs = performance.now();
    try {
      const answer = await patience.ask(() => ask(question, signal), signal);
      const kernel = kernelOf(answer);
      const seconds = Math.round(performance.now() - startedMs) / 1000;
      await folder.keep(each, kernel, answer, seconds);
      failuresInARow = 0;
      if (kernel === null) generation.withoutCode.push(key);
      else generation.kernels += 1;
      const { completionTokens } = answer.usage;
      const tokens = completionTokens === null ? "" : `, ${completionTokens.toLocaleString("en-US")} tokens`;
      const what = kernel === null ? whyNone(answer) : "kernel";
      return { line: `${key}  ${what}${tokens}, ${seconds.toFixed(1)} s`, look: kernel === null };
    } catch (error) {
      if (!(error instanceof EndpointError)) throw error;
      if (error.status !== null && HOPELESS.includes(error.status)) {
        throw new UsageError(`the endpoint refuses: ${error.message}`, { cause: error });
      }
      failuresInARow += 1;
      if (failuresInARow >= FAILURES_IN_A_ROW) {
        throw new KernelBotError(
          "unavailable",
          `the endpoint failed ${failuresInARow} times in a row: ${error.message}`,
        );
      }
      generation.failed.push({ key, message: error.message });
      return { line: `${key}  no answer: ${error.message}`, look: true };
    }
  }

  async function work(): Promise<void> {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      signal.throwIfAborted();
      generation.asking += 1;
      onChange(generation);
      const told = await askFor(each).finally(() => (generation.asking -= 1));
      onChange(generation, told);
    }
  }
  const workers = Array.from({ length: concurrency }, work);
  try {
    await Promise.all(workers);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(workers); // What was answered meanwhile is being kept.
    throw error;
  }
  generation.withoutCode.sort(byNumbers);
  generation.failed.sort((a, b) => byNumbers(a.key, b.key));
  return generation;
}

/** Why an answer has no kernel. */
function whyNone({ refusal, complete }: Completion): string {
  if (refusal !== null) return `refused: ${oneLine(refusal).slice(0, 200)}`;
  return complete ? "no kernel in the answer" : "no kernel: the answer was cut off";
}

/** Of keys: that of problem 2 before that of problem 19. */
const { compare: byNumbers } = new Intl.Collator("en", { numeric: true });
