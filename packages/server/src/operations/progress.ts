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

/** @param signal Once aborted, the next step throws its reason. */
export function openProgress(log: Log, signal?: AbortSignal, everyMs = EVERY_MS): Progress {
  let step = "";
  let bytes = 0;
  let dueAt = performance.now() + everyMs;

  function report(): void {
    if (performance.now() < dueAt) return;
    dueAt = performance.now() + everyMs;
    log(bytes === 0 ? step : `${step}: ${formatBytes(bytes)}`);
  }

  return {
    begin(next) {
      signal?.throwIfAborted();
      [step, bytes] = [next, 0];
      report();
    },
    add(more) {
      bytes += more;
      report();
    },
  };
}
