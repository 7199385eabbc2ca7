/** Estimates queue waits from the durations of past runs, each with its uncertainty. */
import type { RunMode } from "../vocabulary/states.ts";
import type { Estimate } from "../vocabulary/interval.ts";

/** Minimum number of recently finished runs of a kind for an estimate. */
export const ENOUGH_RUNS = 5;

/** Durations of past runs of one kind, from claim to verdict. */
export interface RunDuration {
  /** Number of runs measured. */
  runs: number;
  meanMs: number;
  /** Variance of a single run, in square milliseconds. */
  varianceMs2: number;
}

/**
 * State of a target that determines when its runs start. A duration is null if too few runs of its kind have finished.
 */
export interface TargetLoad {
  /** Number of runners online. */
  runners: number;
  running: readonly { duration: RunDuration | null; forMs: number }[];
  /** In claim order. */
  waiting: readonly (RunDuration | null)[];
}

/** Half-width of the 95 % interval of a normal distribution, in standard deviations. */
const WITHIN_95 = 1.96;

/**
 * Estimates the remaining wait of each queued run if no other run arrives, and, as the last element, that of a run
 * added to the end of the queue. Model: runners take the runs in order, each as soon as it is free, and every run takes
 * the mean time of its kind. The 95 % interval combines the variance of the runs ahead, divided among the runners, with
 * the error of the means. Null if there is no runner, or if the duration of any run ahead is unknown.
 */
export function expectedWaits({ runners, running, waiting }: TargetLoad): (Estimate | null)[] {
  const size = Math.max(runners, running.length);
  const nothing = (): null[] => Array.from({ length: waiting.length + 1 }, () => null);
  if (runners === 0) return nothing();
  const freeAtMs = new Float64Array(size);
  const ahead = new Spread();
  let isKnown = true;
  running.forEach(({ duration, forMs }, index) => {
    if (duration === null) isKnown = false;
    freeAtMs[index] = duration === null ? Infinity : leftMs(duration, forMs);
    if (duration !== null) ahead.add(duration);
  });
  freeAtMs.sort();
  return [...waiting, null].map((duration) => {
    const waitMs = freeAtMs[0] as number;
    const wait = waitMs === 0 ? { value: 0, low: 0, high: 0 } : isKnown ? ahead.around(waitMs, size) : null;
    isKnown &&= duration !== null;
    if (duration !== null) {
      ahead.add(duration);
      replaceFirst(freeAtMs, waitMs + duration.meanMs);
    } else {
      replaceFirst(freeAtMs, Infinity);
    }
    return wait;
  });
}

/**
 * Estimates the remaining time of a run, in milliseconds: at least half a standard deviation, so that an overdue run is
 * not expected to end at once.
 */
function leftMs({ meanMs, varianceMs2 }: RunDuration, forMs: number): number {
  return Math.max(meanMs - forMs, Math.sqrt(varianceMs2) / 2);
}

/** Accumulates the uncertainty of the total time of a sequence of runs. */
class Spread {
  #varianceMs2 = 0;
  readonly #counts = new Map<RunDuration, number>();
  /** Squared error of the means: a kind that occurs k times contributes k times the error of its mean. */
  #errorMs2 = 0;

  add(duration: RunDuration): void {
    const count = this.#counts.get(duration) ?? 0;
    this.#counts.set(duration, count + 1);
    this.#varianceMs2 += duration.varianceMs2;
    this.#errorMs2 += ((2 * count + 1) * duration.varianceMs2) / duration.runs;
  }

  around(waitMs: number, runners: number): Estimate {
    const halfMs = (WITHIN_95 * Math.sqrt(this.#varianceMs2 + this.#errorMs2)) / runners;
    return { value: waitMs, low: Math.max(0, waitMs - halfMs), high: waitMs + halfMs };
  }
}

/** Replaces the minimum of a binary min-heap. */
function replaceFirst(heap: Float64Array, value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
    if (child >= heap.length || (heap[child] as number) >= value) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = value;
}

/** Durations measured on a target, by problem version and mode, and by mode only. */
export class RunDurations {
  readonly #kinds = new Map<string, RunDuration>();

  set(mode: RunMode, problemVersion: string | null, duration: RunDuration): void {
    this.#kinds.set(`${mode} ${problemVersion ?? ""}`, duration);
  }

  /**
   * Returns the duration for the same problem version if enough of its runs finished, else for all problems; null if
   * neither has enough.
   */
  of(mode: RunMode, problemVersion: string): RunDuration | null {
    const enough = [problemVersion, ""].map((version) => this.#kinds.get(`${mode} ${version}`));
    return enough.find((duration) => duration !== undefined && duration.runs >= ENOUGH_RUNS) ?? null;
  }
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
] as const;

/** Formats a wait with its interval in one unit: `none`, `about 3 min (2–6)`. The interval is rounded outwards. */
export function formatWait({ value, low, high }: Estimate): string {
  if (high === 0) return "none";
  if (high < 1000) return "under 1 s";
  const [size, unit] = UNITS.find(([ms]) => value >= 0.95 * ms) ?? [1000, "s"];
  const [middle, from, to] = [Math.round(value / size), Math.floor(low / size), Math.ceil(high / size)];
  return `about ${middle} ${unit}${from === to ? "" : ` (${from}–${to})`}`;
}
