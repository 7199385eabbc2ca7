import { expect, test } from "vitest";
import {
  formatBytes,
  formatNs,
  formatRankingValue,
  formatRate,
  formatRatio,
  formatResult,
  formatShare,
  formatSpread,
} from "./units.ts";

test.each([
  [0.5, "0.500 ns"],
  [999, "999.0 ns"],
  [12_340, "12.34 µs"],
  [1_500_000, "1.500 ms"],
  [2.5e9, "2.500 s"],
])("%f ns is formatted as %s", (ns, text) => {
  expect(formatNs(ns)).toBe(text);
});

test("a ratio, a spread and a size carry their units", () => {
  expect(formatRatio(1.25)).toBe("1.250×");
  expect(formatSpread({ value: 100, low: 99, high: 101 })).toBe("± 1.0 %");
  expect(formatBytes(1536)).toBe("1.500 KiB");
  expect(formatBytes(0)).toBe("0 B");
});

test("a rate has a suitable prefix, and a fraction is a percentage", () => {
  expect([3.35e12, 5e10, 12].map((rate) => formatRate(rate, "B/s"))).toEqual(["3.350 TB/s", "50.00 GB/s", "12.00 B/s"]);
  expect(formatRate(1.01e16, "OPS")).toBe("10.10 POPS");
  expect([1.2, 0.123, 0.0456, 0.0042].map(formatShare)).toEqual(["120 %", "12 %", "4.6 %", "0.42 %"]);
});

test("a result is formatted by its efficiency where it ranks by one, else by its time", () => {
  const timeNs = { value: 12_340, low: 12_340, high: 12_340 };
  expect([formatRankingValue({ timeNs }), formatResult({ timeNs })]).toEqual(["12.34 µs", "12.34 µs"]);
  const efficient = { timeNs, efficiency: { value: 0.6234 } };
  expect([formatRankingValue(efficient), formatResult(efficient)]).toEqual(["0.623", "score 0.623, 12.34 µs"]);
});
