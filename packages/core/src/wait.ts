/** How long runs wait, told from what runs took: each figure with its error. */
import type { Mode } from "./words.ts";
import type { Estimate } from "./statistics.ts";

/** Runs of a kind that must have ended lately before a time is told from them. */
export const ENOUGH_RUNS = 5;

/** What runs of a kind took, from the claim to the verdict. */
export interface Duration {
  /** How many were measured. */
  runs: number;
  meanMs: number;
  /** The variance of one run, in square milliseconds. */
  varianceMs2: number;
}

/** What decides when the runs of a target start. A duration is null where too few have ended. */
export interface Load {
  /** Runners that are there. */
  runners: number;
  running: readonly { duration: Duration | null; forMs: number }[];
  /** In the order of claiming. */
  waiting: readonly (Duration | null)[];
}

/** A normal estimate lies within so many standard deviations in 95 of 100 cases. */
const WITHIN_95 = 1.96;

/**
 * How long each waiting run still waits if no other comes, and, as the last of the answer, one that comes behind all of them.
 * Runners take the runs in order, each as it becomes free, and every run takes the mean of its kind. The interval is of
 * 95 %: it has the spread of the runs ahead, shared by the runners, and the error of the means. Null where there is no
 * runner, or something ahead is of a kind that is not known.
 */
export function expectedWaits({ runners, running, waiting }: Load): (Estimate | null)[] {
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

/** What is left of a run: one that takes longer than most is over soon, but not at once. */
function leftMs({ meanMs, varianceMs2 }: Duration, forMs: number): number {
  return Math.max(meanMs - forMs, Math.sqrt(varianceMs2) / 2);
}

/** How far the time that a sequence of runs takes may be off. */
class Spread {
  #varianceMs2 = 0;
  readonly #counts = new Map<Duration, number>();
  /** Of the means: of a kind that comes k times, k times its error. */
  #errorMs2 = 0;

  add(duration: Duration): void {
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

/** Puts a value in the place of the least of an ascending heap. */
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

/** The kinds of runs that were measured on a target: by version of a problem and mode, and by mode alone. */
export class Durations {
  readonly #kinds = new Map<string, Duration>();

  set(mode: Mode, problemVersion: string | null, duration: Duration): void {
    this.#kinds.set(`${mode} ${problemVersion ?? ""}`, duration);
  }

  /** Of the same problem where enough of those ended, else of all problems. */
  of(mode: Mode, problemVersion: string): Duration | null {
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

/** A wait with its error in one unit: `none`, `about 3 min (2–6)`. The interval is rounded outwards. */
export function waitWords({ value, low, high }: Estimate): string {
  if (high === 0) return "none";
  if (high < 1000) return "under 1 s";
  const [size, unit] = UNITS.find(([ms]) => value >= 0.95 * ms) ?? [1000, "s"];
  const [middle, from, to] = [Math.round(value / size), Math.floor(low / size), Math.ceil(high / size)];
  return `about ${middle} ${unit}${from === to ? "" : ` (${from}–${to})`}`;
}
