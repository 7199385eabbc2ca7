import { expect, test } from "vitest";
import { speedupsAt } from "./board-speedup.ts";
import { geometricMean, median } from "./statistics.ts";

/** Slowness of the machine in nine rounds, in an order that is not that of the values. */
const ROUNDS = [1.0, 1.3, 1.1, 1.25, 1.05, 1.4, 1.15, 1.2, 1.35];

/** Times of a reference of 1,000 ns and of a kernel of 500 ns which slows down by this power of what the reference does. */
function slowed(slowness: readonly number[], sensitivity: number) {
  return { references: slowness.map((slow) => 1_000 * slow), times: slowness.map((slow) => 500 * slow ** sensitivity) };
}

const paired = ({ references, times }: ReturnType<typeof slowed>) =>
  median(times.map((time, at) => (references[at] as number) / time));

test.each([0.2, 0.5, 0.8, 1])(
  "the speedup of a kernel with the sensitivity %d is the same in a quiet run and in a busy one",
  (sensitivity) => {
    const quiet = slowed(ROUNDS, sensitivity);
    const busy = slowed(
      ROUNDS.map((slow) => slow * 1.15),
      sensitivity,
    );
    const [inQuiet, inBusy] = [quiet, busy].map(({ times, references }) =>
      median(speedupsAt(1_250, times, references)),
    );
    const exact = 1_250 / (500 * 1.25 ** sensitivity);
    expect([inQuiet, inBusy]).toEqual([expect.closeTo(exact, 9), expect.closeTo(exact, 9)]);
    if (sensitivity < 1) expect(paired(busy) / paired(quiet)).toBeGreaterThan(1.02);
  },
);

test("a kernel that slows down more than the reference is treated as one that slows down as much", () => {
  const run = slowed(ROUNDS, 1.5);
  expect(median(speedupsAt(1_000, run.times, run.references))).toBe(paired(run));
});

test("where the times of kernel and reference do not go together, the paired ratios remain as they are", () => {
  const references = ROUNDS.map((slow) => 1_000 * slow);
  const against = ROUNDS.map((slow) => 500 / slow);
  expect(speedupsAt(1_000, against, references)).toEqual(against.map((time, at) => (references[at] as number) / time));
  const steady = ROUNDS.map(() => 1_000);
  expect(speedupsAt(800, references, steady)).toEqual(references.map((time) => 1_000 / time));
});

test("fewer than six rounds do not show how kernel and reference go together", () => {
  const run = slowed(ROUNDS.slice(0, 5), 0.5);
  expect(median(speedupsAt(1_000, run.times, run.references))).toBe(paired(run));
});

test("a time of the reference far from all rounds is that of another machine, where the run's own speedup holds", () => {
  const run = slowed(ROUNDS, 0.5);
  for (const far of [200, 500, 3_000, 20_000]) {
    expect(median(speedupsAt(far, run.times, run.references))).toBeCloseTo(paired(run), 9);
  }
});

test("an outlier of the reference does not extend the times to which rounds are corrected", () => {
  const { times, references } = slowed([...ROUNDS, 1.1, 1.2, 1.3], 0.5);
  const disturbed = references.with(3, 9_000);
  const ratio = median(speedupsAt(1_390, times, disturbed)) / median(speedupsAt(1_390, times, references));
  expect(ratio).toBeGreaterThan(0.97);
  expect(ratio).toBeLessThan(1.03);
});

test("each corrected ratio is between the paired ratio and the board's time over the kernel's", () => {
  const { times, references } = slowed(ROUNDS, 0.4);
  for (const [at, speedup] of speedupsAt(1_200, times, references).entries()) {
    const [time, reference] = [times[at] as number, references[at] as number];
    const ends = [reference / time, 1_200 / time];
    expect(speedup).toBeGreaterThanOrEqual(Math.min(...ends));
    expect(speedup).toBeLessThanOrEqual(Math.max(...ends));
  }
});

test("a factor of all times of the reference and of the board changes all speedups by it", () => {
  const { times, references } = slowed(ROUNDS, 0.6);
  const doubled = references.map((time) => 2 * time);
  expect(
    geometricMean(speedupsAt(2_400, times, doubled)) / geometricMean(speedupsAt(1_200, times, references)),
  ).toBeCloseTo(2, 9);
});
