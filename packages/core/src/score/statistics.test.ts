import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { geometricMean, meanInterval, median, medianInterval, ratioInterval, roundTime } from "./statistics.ts";

interface Vectors {
  roundTimes: { samples: number[]; value: number }[];
  medianIntervals: { values: number[]; value: number; low: number; high: number }[];
  meanIntervals: { samples: number[]; value: number; low: number; high: number }[];
}

// The tester's Python tests read the same file, so that server and tester use the same formulas.
const vectors = JSON.parse(readFileSync(new URL("statistics.vectors.json", import.meta.url), "utf8")) as Vectors;

test.each(vectors.roundTimes)("the time of a round of $samples is $value", ({ samples, value }) => {
  expect(roundTime(samples)).toBeCloseTo(value, 9);
});

test.each(vectors.medianIntervals)(
  "the median of $values is $value, between $low and $high",
  ({ values, ...estimate }) => {
    expect(medianInterval(values)).toEqual(estimate);
  },
);

test.each(vectors.meanIntervals)("the mean of $samples lies between $low and $high", ({ samples, ...estimate }) => {
  const { value, low, high } = meanInterval(samples);
  expect(value).toBeCloseTo(estimate.value, 9);
  expect(low).toBeCloseTo(estimate.low, 9);
  expect(high).toBeCloseTo(estimate.high, 9);
});

test("a mean of one value has no interval", () => {
  expect(() => meanInterval([1])).toThrow(RangeError);
});

test("the error of a paired ratio excludes the variation that its pairs share", () => {
  const { value, low, high } = ratioInterval([30, 33, 27, 36], [10, 11, 9, 13]);
  expect([value, low, high]).toEqual([
    expect.closeTo(2.9302325581, 9),
    expect.closeTo(2.802922705, 9),
    expect.closeTo(3.0575424113, 9),
  ]);
  expect(ratioInterval([30, 60, 3000], [10, 20, 1000])).toEqual({ value: 3, low: 3, high: 3 });
});

test("unpaired values have no paired ratio", () => {
  expect(() => ratioInterval([1, 2, 3], [1, 2])).toThrow(RangeError);
});

test("the interval of ten rounds excludes one value on each side, as in tables of the sign test", () => {
  expect(medianInterval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toEqual({ value: 5.5, low: 2, high: 9 });
});

test("an interval of nine skewed times contains their true median in at least 95 of 100 trials", () => {
  let state = 12345;
  const uniform = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const truth = 1 + Math.log(2);
  let covered = 0;
  for (let trial = 0; trial < 4000; trial += 1) {
    const { low, high } = medianInterval(Array.from({ length: 9 }, () => 1 - Math.log(uniform())));
    if (low <= truth && truth <= high) covered += 1;
  }
  expect(covered / 4000).toBeGreaterThan(0.95);
});

test("the geometric mean of a hundred microsecond scores does not underflow", () => {
  expect(geometricMean(Array.from({ length: 100 }, () => 1e-6))).toBeCloseTo(1e-6, 15);
});

test("a time that is not positive has no geometric mean", () => {
  expect(() => geometricMean([1, 0])).toThrow(RangeError);
  expect(() => geometricMean([1, NaN])).toThrow(RangeError);
});

test("the median of an even number of values lies between the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
