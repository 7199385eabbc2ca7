/** Generates kernels with a model: several requests at once, each answer saved as soon as it arrives. */
import { KernelBotError, kernelKeyText, kernelOf, type KernelKey } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { oneLine } from "../output/text.ts";
import type { Ask, Completion } from "./completion.ts";
import { EndpointError } from "./endpoint.ts";
import type { GenerationFolder } from "./generation-folder.ts";
import { RetryPolicy } from "./retry.ts";

/** Kernel to generate. */
export interface RequestedKernel extends KernelKey {
  prompt: string;
}

export interface Generation {
  /** Number of requested kernels. */
  requested: number;
  /** Number of requested kernels that were answered in an earlier run. */
  before: number;
  /** Requests in flight. */
  asking: number;
  kernels: number;
  /** Keys of answers without a kernel; requests without an answer are in `failed`. */
  withoutCode: string[];
  failed: { key: string; message: string }[];
}

interface GenerateOptions {
  ask: Ask;
  /** The system prompt; null for none. */
  system: string | null;
  folder: GenerationFolder;
  requested: readonly RequestedKernel[];
  concurrency: number;
  signal: AbortSignal;
  /** Called after every change; with a line when a request has ended. */
  onChange: (generation: Generation, ended?: EndedRequest) => void;
  /** Pauses between retries, in ms. */
  pausesMs?: readonly number[] | undefined;
}

/** Log line of a request that has ended. */
export interface EndedRequest {
  line: string;
  /** Whether the answer has no kernel, or there was no answer. */
  isWarning: boolean;
}

/** Statuses of an endpoint that rejects the key or the model: every request would fail. */
const PERMANENT = [401, 403, 404];
/** After this many consecutive failures, each with all its retries, no further requests are sent. */
const MAX_CONSECUTIVE_FAILURES = 10;

/**
 * Generates the kernels that do not exist yet.
 * @throws UsageError when the endpoint rejects the key or model; KernelBotError `unavailable` when it fails repeatedly
 */
export async function generate(options: GenerateOptions): Promise<Generation> {
  const { ask, system, folder, requested, concurrency, onChange } = options;
  const retry = new RetryPolicy(options.pausesMs);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const exists = await Promise.all(requested.map((each) => folder.has(each)));
  const left = requested.filter((_, at) => exists[at] === false);
  const generation: Generation = {
    requested: requested.length,
    before: requested.length - left.length,
    asking: 0,
    kernels: 0,
    withoutCode: [],
    failed: [],
  };
  let consecutiveFailures = 0;

  async function askFor(each: RequestedKernel): Promise<EndedRequest> {
    const key = kernelKeyText(each);
    const question = { system, prompt: each.prompt };
    const startedMs = performance.now();
    try {
      const answer = await retry.run(() => ask(question, signal), signal);
      const kernel = kernelOf(answer);
      const seconds = Math.round(performance.now() - startedMs) / 1000;
      await folder.keep(each, kernel, answer, seconds);
      consecutiveFailures = 0;
      if (kernel === null) generation.withoutCode.push(key);
      else generation.kernels += 1;
      const { completionTokens } = answer.usage;
      const tokens = completionTokens === null ? "" : `, ${completionTokens.toLocaleString("en-US")} tokens`;
      const what = kernel === null ? missingReason(answer) : "kernel";
      return { line: `${key}  ${what}${tokens}, ${seconds.toFixed(1)} s`, isWarning: kernel === null };
    } catch (error) {
      if (!(error instanceof EndpointError)) throw error;
      if (error.status !== null && PERMANENT.includes(error.status)) {
        throw new UsageError(`the endpoint rejects the key or the model: ${error.message}`, { cause: error });
      }
      consecutiveFailures += 1;
      if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) {
        throw new KernelBotError(
          "unavailable",
          `the endpoint failed ${consecutiveFailures} consecutive times: ${error.message}`,
        );
      }
      generation.failed.push({ key, message: error.message });
      return { line: `${key}  no answer: ${error.message}`, isWarning: true };
    }
  }

  async function work(): Promise<void> {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      signal.throwIfAborted();
      generation.asking += 1;
      onChange(generation);
      const ended = await askFor(each).finally(() => (generation.asking -= 1));
      onChange(generation, ended);
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
function missingReason({ refusal, complete }: Completion): string {
  if (refusal !== null) return `refused: ${oneLine(refusal).slice(0, 200)}`;
  return complete ? "no kernel in the answer" : "no kernel: the answer was cut off";
}

/** Compares keys numerically: problem 2 before problem 19. */
const { compare: byNumbers } = new Intl.Collator("en", { numeric: true });
