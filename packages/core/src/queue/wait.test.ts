import { expect, test } from "vitest";
import { RunDurations, expectedWaits, formatWait, type RunDuration } from "./wait.ts";

const TEST: RunDuration = { runs: 50, meanMs: 1000, varianceMs2: 0 };
const RANKED: RunDuration = { runs: 50, meanMs: 60_000, varianceMs2: 0 };

function valuesOf(load: Parameters<typeof expectedWaits>[0]) {
  return expectedWaits(load).map((wait) => wait && wait.value);
}

test("a run does not wait if a runner is free", () => {
  const running = [{ duration: null, forMs: 0 }];
  expect(expectedWaits({ runners: 2, waiting: [], running })).toEqual([{ value: 0, low: 0, high: 0 }]);
});

test("runners claim queued runs in order, each as it becomes free", () => {
  const running = [
    { duration: RANKED, forMs: 30_000 },
    { duration: RANKED, forMs: 59_000 },
  ];
  expect(valuesOf({ runners: 2, waiting: [TEST, TEST, RANKED], running })).toEqual([1000, 2000, 3000, 30_000]);
});

test("without a runner, or behind a run of unknown duration, the wait is unknown", () => {
  expect(valuesOf({ runners: 0, waiting: [TEST], running: [] })).toEqual([null, null]);
  expect(valuesOf({ runners: 1, waiting: [TEST, null, TEST], running: [] })).toEqual([0, 1000, null, null]);
  expect(valuesOf({ runners: 1, waiting: [TEST], running: [{ duration: null, forMs: 0 }] })).toEqual([null, null]);
});

test("a problem with too few finished runs uses the durations of its mode", () => {
  const durations = new RunDurations();
  const [few, enough, all] = [4, 5, 60].map((runs) => ({ runs, meanMs: runs, varianceMs2: 0 })) as [
    RunDuration,
    RunDuration,
    RunDuration,
  ];
  durations.set("test", "few", few);
  durations.set("test", "enough", enough);
  durations.set("test", null, all);
  expect(["few", "enough", "none"].map((version) => durations.of("test", version))).toEqual([all, enough, all]);
  expect(durations.of("ranked", "enough")).toBeNull();
});

/** Returns a generator of pseudorandom numbers from 0 to 1 with a fixed sequence. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Draws a lognormal duration with median e^`middle`. */
function lognormal(random: () => number, middle: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(middle + spread * normal);
}

function measured(values: readonly number[]): RunDuration {
  const meanMs = values.reduce((sum, value) => sum + value, 0) / values.length;
  const varianceMs2 = values.reduce((sum, value) => sum + (value - meanMs) ** 2, 0) / (values.length - 1);
  return { runs: values.length, meanMs, varianceMs2 };
}

test.each([
  ["one runner", 1, 0.5],
  ["four runners", 4, 0.5],
  ["sixteen runners and durations that differ much", 16, 1],
])("with %s, at least 95 % of simulated waits are within the estimated interval", (_, runners, spread) => {
  const random = chance(runners);
  const kinds = [7, 9].map((middle) => ({ middle, draw: () => lognormal(random, middle, spread) }));
  let within = 0;
  let estimates = 0;
  for (let round = 0; round < 200; round += 1) {
    const known = kinds.map(({ draw }) => measured(Array.from({ length: 30 }, draw)));
    const pick = (): number => (random() < 0.7 ? 0 : 1);
    // Running runs at a random moment of their duration: longer runs are more likely to be observed.
    const running = Array.from({ length: runners }, () => {
      const kind = pick();
      const tookMs = Math.max(...Array.from({ length: 2 }, () => kinds[kind]?.draw() ?? 0));
      return { kind, tookMs, forMs: random() * tookMs };
    });
    const waiting = Array.from({ length: 60 }, pick);
    const waits = expectedWaits({
      runners,
      running: running.map(({ kind, forMs }) => ({ duration: known[kind] as RunDuration, forMs })),
      waiting: waiting.map((kind) => known[kind] as RunDuration),
    });
    const freeAtMs = running.map(({ tookMs, forMs }) => tookMs - forMs);
    for (const [place, kind] of waiting.entries()) {
      const startMs = Math.min(...freeAtMs);
      freeAtMs[freeAtMs.indexOf(startMs)] = startMs + (kinds[kind]?.draw() ?? 0);
      const wait = waits[place];
      estimates += 1;
      within += wait && wait.low <= startMs && startMs <= wait.high ? 1 : 0;
    }
  }
  expect(within / estimates).toBeGreaterThan(0.9);
});

test.each([
  [{ value: 0, low: 0, high: 0 }, "none"],
  [{ value: 300, low: 0, high: 900 }, "under 1 s"],
  [{ value: 40_000, low: 30_500, high: 49_500 }, "about 40 s (30–50)"],
  [{ value: 190_000, low: 130_000, high: 350_000 }, "about 3 min (2–6)"],
  [{ value: 7_200_000, low: 7_200_000, high: 7_200_000 }, "about 2 h"],
])("%o is formatted as: %s", (wait, words) => {
  expect(formatWait(wait)).toBe(words);
});
