import { describe, expect, test } from "vitest";
import { isLog, position, xScale, formatTick, ticks, timeTicks, formatTimeTicks, yScale } from "./scale.ts";

const DAY = 86_400_000;
const MARCH = Date.UTC(2026, 2, 1);

/** Returns the tick labels between two times in ns, on a logarithmic scale. */
function times(low: number, high: number): string[] {
  return ticks({ low, high, isLog: true }, 6).map((value) => formatTick(value, "ns"));
}

describe("ticks of a logarithmic time scale", () => {
  test("are round numbers within a decade", () => {
    expect(times(5_000, 30_000)).toEqual(["5 µs", "7 µs", "10 µs", "15 µs", "20 µs", "30 µs"]);
  });

  test("are powers of ten over many decades, and skip some over more", () => {
    expect(times(100, 1e7)).toEqual(["100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]);
    expect(times(1, 1e12)).toEqual(["1 ns", "1 µs", "1 ms", "1 s", "1000 s"]);
  });

  test("are evenly spaced within a narrow range", () => {
    expect(times(12_300, 12_390)).toEqual(["12.3 µs", "12.32 µs", "12.34 µs", "12.36 µs", "12.38 µs"]);
  });
});

test.each([
  [20 * 60_000, ["1 Mar", "00:05", "00:10", "00:15", "00:20"]],
  [3 * DAY, ["1 Mar", "2 Mar", "3 Mar", "4 Mar"]],
  [65 * DAY, ["12 Mar", "26 Mar", "9 Apr", "23 Apr"]],
  [400 * DAY, ["Apr 2026", "Jul 2026", "Oct 2026", "Jan 2027", "Apr 2027"]],
  [3000 * DAY, ["2028", "2030", "2032", "2034"]],
])("time ticks over %i ms are at round times in UTC", (length, words) => {
  expect(formatTimeTicks(timeTicks({ low: MARCH, high: MARCH + length, isLog: false }, 5))).toEqual(words);
});

test("the scale is logarithmic for times and speedups unless one is zero, and linear for shares and counts", () => {
  const series = (y: number) => [
    { label: "a", kind: "line" as const, tone: "one" as const, points: [[0, y] as const] },
  ];
  expect(isLog({ unit: "ns", series: series(1) })).toBe(true);
  expect(isLog({ unit: "ns", series: series(0) })).toBe(false);
  expect(isLog({ unit: "share", series: series(1) })).toBe(false);
});

test("scales have a margin, even for a single value", () => {
  for (const logarithmic of [true, false]) {
    const scale = yScale([5], logarithmic);
    expect(position(scale, 5)).toBeGreaterThan(0);
    expect(position(scale, 5)).toBeLessThan(1);
  }
  expect(position(xScale([MARCH], "time"), MARCH)).toBe(0.5);
  expect(yScale([0, 10], false).low).toBe(0);
});
