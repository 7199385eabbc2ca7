import { expect, test } from "vitest";
import { rank } from "./board.ts";

const entry = (value: number, half: number) => ({ timeNs: { value, low: value - half, high: value + half } });

test("entries whose intervals are apart are ranked by time", () => {
  expect(rank([entry(10, 1), entry(20, 1), entry(30, 1)]).map(({ rank }) => rank)).toEqual([1, 2, 3]);
});

test("an entry whose interval reaches into the leader's shares the rank, and the next counts both", () => {
  expect(rank([entry(10, 1), entry(11, 1), entry(20, 1)]).map(({ rank }) => rank)).toEqual([1, 1, 3]);
});

test("sharing does not chain: each is compared with the leader of the rank", () => {
  expect(rank([entry(10, 1), entry(11.5, 1), entry(13, 1)]).map(({ rank }) => rank)).toEqual([1, 1, 3]);
});
