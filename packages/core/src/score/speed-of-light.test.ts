import { expect, test } from "vitest";
import {
  belowSpeedOfLight,
  speedOfLightBound,
  fractionOfSpeedOfLight,
  meanFractionOfSpeedOfLight,
  type BoundedCase,
} from "./speed-of-light.ts";
import type { PeakRates } from "../machine/hardware.ts";

const RATES: PeakRates = { memoryBytesPerS: 1e9, operationsPerS: 1e12, cacheBytes: 1000, from: "data sheet" };

test("a memory bound is bytes divided by bandwidth", () => {
  expect(speedOfLightBound({ bytes: 5000, operations: 10, outputBytes: 0 }, RATES)).toEqual({
    ns: 5000,
    by: "memory",
    amount: 5000,
    perS: 1e9,
    from: "data sheet",
  });
});

test("an arithmetic bound is operations divided by rate, if that is larger", () => {
  expect(speedOfLightBound({ bytes: 10, operations: 3e9, outputBytes: 0 }, RATES)).toMatchObject({
    ns: 3e6,
    by: "arithmetic",
  });
});

test.each([
  ["as large as they are", 400, Infinity, 4600],
  ["as large as the cache", 3000, 1000, 4000],
  ["of unknown size, as large as the cache", null, 1000, 4000],
])("outputs may remain in a cache when a kernel ends: %s", (_, outputBytes, cacheBytes, amount) => {
  expect(speedOfLightBound({ bytes: 5000, operations: null, outputBytes }, { ...RATES, cacheBytes })).toMatchObject({
    amount,
  });
});

test("outputs larger than the declared bytes leave no memory bound", () => {
  const rates = { ...RATES, cacheBytes: Infinity };
  expect(speedOfLightBound({ bytes: 100, operations: null, outputBytes: 200 }, rates)).toBeNull();
});

test.each([
  ["the device is unknown", { bytes: 1, operations: 1, outputBytes: 0 }, null],
  ["nothing is declared", { bytes: null, operations: null, outputBytes: 8 }, RATES],
  ["nothing is needed", { bytes: 0, operations: 0, outputBytes: 0 }, RATES],
  [
    "only operations are declared, and their rate is unknown",
    { bytes: null, operations: 9, outputBytes: 0 },
    { ...RATES, operationsPerS: Infinity },
  ],
])("there is no bound if %s", (_, cost, rates) => {
  expect(speedOfLightBound(cost, rates)).toBeNull();
});

test("the fraction of speed of light is 1 at the bound and decreases with the time", () => {
  expect(fractionOfSpeedOfLight(100, { ns: 100 })).toBe(1);
  expect(fractionOfSpeedOfLight(400, { ns: 100 })).toBe(0.25);
});

const speedOfLight = speedOfLightBound({ bytes: 5000, operations: null, outputBytes: 0 }, RATES);
const timed = (index: number, value: number, high = value): BoundedCase => ({
  index,
  case: { size: 8 * index },
  score: { timeNs: { value, low: value, high } },
  speedOfLight,
});

test("times at or above the bound, and cases without a time or a bound, are not reported", () => {
  const known = [timed(0, 5000), timed(1, 9000)];
  expect(
    belowSpeedOfLight([...known, { ...timed(2, 1), score: null }, { ...timed(3, 1), speedOfLight: null }]),
  ).toBeNull();
});

test("the case furthest below its bound is reported with all figures", () => {
  expect(belowSpeedOfLight([timed(0, 4000), timed(1, 50), timed(2, 9000)])).toBe(
    "faster than the hardware allows, so a moderator must review it: case 2 (size: 8) took 50.00 ns, below its speed-of-light bound of " +
      "5.000 µs: at least 5,000 bytes at no more than 1.000 GB/s (data sheet)",
  );
});

test("a wide interval does not hide a time that is too short", () => {
  expect(belowSpeedOfLight([timed(0, 4000, 60_000)])).toContain("case 1");
});

test("the overall fraction is the geometric mean over the cases, and unknown if any is", () => {
  expect(meanFractionOfSpeedOfLight([timed(0, 10_000), timed(1, 40_000)])).toBeCloseTo(0.25);
  expect(meanFractionOfSpeedOfLight([timed(0, 10_000), { ...timed(1, 40_000), speedOfLight: null }])).toBeNull();
});
