import { formatBytes } from "@kernelbot/core";
import type { Log } from "../db/log.ts";

/** Logs the progress of a long operation, at most every few seconds, so that a short one logs nothing. */
export interface Progress {
  /** Starts a step, such as `table 3 of 40, run`. */
  readonly begin: (step: string) => void;
  /** Adds processed bytes to the current step. */
  readonly add: (bytes: number) => void;
}

const EVERY_MS = 2000;

/**
 * Logs the current step whenever it has changed, by a timer: a step that takes minutes is logged while it runs, and not
 * the one before it.
 * @param signal Once aborted, the next step throws its reason.
 */
export function openProgress(log: Log, signal?: AbortSignal, everyMs = EVERY_MS): Progress & Disposable {
  let line = "";
  let logged = "";
  let step = "";
  let bytes = 0;
  const timer = setInterval(() => {
    if (line !== logged) log(line);
    logged = line;
  }, everyMs);
  return {
    begin(next) {
      signal?.throwIfAborted();
      [step, bytes] = [next, 0];
      line = step;
    },
    add(more) {
      bytes += more;
      line = `${step}: ${formatBytes(bytes)}`;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
