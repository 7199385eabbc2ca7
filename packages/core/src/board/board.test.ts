import { expect, test } from "vitest";
import { rankEntries } from "./board.ts";

const entry = (value: number, half: number) => ({ timeNs: { value, low: value - half, high: value + half } });

test("entries with disjoint intervals are ranked by time", () => {
  expect(rankEntries([entry(10, 1), entry(20, 1), entry(30, 1)]).map(({ rank }) => rank)).toEqual([1, 2, 3]);
});

test("an entry whose interval overlaps the leader's shares its rank, and the next rank counts both", () => {
  expect(rankEntries([entry(10, 1), entry(11, 1), entry(20, 1)]).map(({ rank }) => rank)).toEqual([1, 1, 3]);
});

test("shared ranks do not chain: each entry is compared with the leader of the rank", () => {
  expect(rankEntries([entry(10, 1), entry(11.5, 1), entry(13, 1)]).map(({ rank }) => rank)).toEqual([1, 1, 3]);
});

test("each entry except the first is compared with the one above it", () => {
  const [first, second, third] = rankEntries([entry(10, 0), entry(20, 2), entry(30, 0)]);
  expect(first?.deltaToNext).toBeNull();
  expect(second?.deltaToNext?.value).toBeCloseTo(2);
  expect(third?.deltaToNext?.value).toBeCloseTo(1.5);
});

test("the ratio to the entry above includes both uncertainties and that between two sessions", () => {
  const [, sure, unsure] = rankEntries([entry(10, 0), entry(20, 0), entry(40, 4)]).map(
    ({ deltaToNext }) => deltaToNext,
  );
  expect(sure?.low).toBeCloseTo(2 * 0.949, 2);
  expect(sure?.high).toBeCloseTo(2 * 1.054, 2);
  expect(unsure?.low).toBeLessThan(36 / 20);
  expect(unsure?.high).toBeGreaterThan(44 / 20);
});

test("entries with an efficiency are ranked by it, higher first, and share a rank where its intervals overlap", () => {
  const entry = (value: number, ns: number) => ({
    timeNs: { value: ns, low: ns, high: ns },
    rankedBy: { ranking: "sol_score" as const, value, low: value - 0.05, high: value + 0.05 },
  });
  const ranked = rankEntries([entry(0.9, 400), entry(0.81, 300), entry(0.7, 200)]);
  expect(ranked.map(({ rank, deltaToNext }) => [rank, deltaToNext])).toEqual([
    [1, null],
    [1, null],
    [3, null],
  ]);
});

test("entries with a speedup are ranked by it, and the gap is the ratio of the speedups", () => {
  const entry = (value: number, ns: number) => ({
    timeNs: { value: ns, low: ns, high: ns },
    rankedBy: { ranking: "speedup" as const, value, low: value, high: value },
  });
  const ranked = rankEntries([entry(4, 400), entry(2, 100)]);
  expect(ranked.map(({ rank, deltaToNext }) => [rank, deltaToNext?.value])).toEqual([
    [1, undefined],
    [2, 2],
  ]);
});

test("the width of a noisy result's interval gives it no better rank", () => {
  const entry = (value: number, half: number, noisy?: true) => ({
    timeNs: { value: 1, low: 1, high: 1 },
    rankedBy: { ranking: "speedup" as const, value, low: value - half, high: value + half },
    noisy,
  });
  expect(rankEntries([entry(4, 0.1), entry(2, 1.9, true)]).map(({ rank }) => rank)).toEqual([1, 2]);
  expect(rankEntries([entry(4, 0.1), entry(3.9, 0.1)]).map(({ rank }) => rank)).toEqual([1, 1]);
});
