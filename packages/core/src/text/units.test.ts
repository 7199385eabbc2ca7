import { expect, test } from "vitest";
import { formatBytes, formatNs, formatRate, formatRatio, formatShare, formatSpread } from "./units.ts";

test.each([
  [0.5, "0.500 ns"],
  [999, "999.0 ns"],
  [12_340, "12.34 µs"],
  [1_500_000, "1.500 ms"],
  [2.5e9, "2.500 s"],
])("%f ns is formatted as %s", (ns, text) => {
  expect(formatNs(ns)).toBe(text);
});

test("a wide interval is formatted by its ends", () => {
  expect(formatSpread({ value: 100, low: 85, high: 130 })).toBe("(85.00 ns to 130.0 ns)");
  expect(formatSpread({ value: 2, low: 1, high: 3 }, formatRatio)).toBe("(1.000× to 3.000×)");
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
