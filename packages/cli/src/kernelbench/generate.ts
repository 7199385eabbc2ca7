/** Generates kernels with a model: several requests at once, each answer saved as soon as it arrives. */
import { KernelBotError, kernelKeyText, type KernelKey } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { oneLine } from "../output/text.ts";
import { kernelOf } from "./kernel-extraction.ts";
import type { Ask, Completion } from "./completion.ts";
import { EndpointError } from "./endpoint.ts";
import type { GenerationFolder } from "./generation-folder.ts";
import { Patience } from "./retry.ts";

/** Kernel to generate. */
export interface Wanted extends KernelKey {
  prompt: string;
}

export interface Generation {
  /** Number of requested kernels, and number of these that were answered in an earlier run. */
  wanted: number;
  before: number;
  /** Requests in flight. */
  asking: number;
  kernels: number;
  /** Keys of answers without a kernel; requests without an answer are in `failed`. */
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
  /** Called after every change; with a line when a request has ended. */
  onChange: (generation: Generation, told?: Told) => void;
  /** Pauses between retries, in ms. */
  pausesMs?: readonly number[] | undefined;
}

export interface Told {
  line: string;
  /** Whether the line is a warning: the answer has no kernel, or there was no answer. */
  look: boolean;
}

/** Statuses of an endpoint that rejects the key or does not know the model: every request would fail. */
const HOPELESS = [401, 403, 404];
/** After this many consecutive failures, each with all its retries, no further requests are sent. */
const FAILURES_IN_A_ROW = 10;

/**
 * Generates the kernels that do not exist yet.
 * @throws UsageError when the endpoint rejects the key or model; KernelBotError `unavailable` when it fails repeatedly
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
    await Promise.allSettled(workers); // Answers that have arrived are still being saved.
    throw error;
  }
  generation.withoutCode.sort(byNumbers);
  generation.failed.sort((a, b) => byNumbers(a.key, b.key));
  return generation;
}

/** Returns the reason why an answer has no kernel. */
function whyNone({ refusal, complete }: Completion): string {
  if (refusal !== null) return `refused: ${oneLine(refusal).slice(0, 200)}`;
  return complete ? "no kernel in the answer" : "no kernel: the answer was cut off";
}

/** Compares keys numerically: problem 2 before problem 19. */
const { compare: byNumbers } = new Intl.Collator("en", { numeric: true });
