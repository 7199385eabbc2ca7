import { expect, test } from "vitest";
import { formatBytes, formatNs, formatRatio, formatSpread } from "./units.ts";

test.each([
  [0.5, "0.500 ns"],
  [999, "999.0 ns"],
  [12_340, "12.34 µs"],
  [1_500_000, "1.500 ms"],
  [2.5e9, "2.500 s"],
])("%f ns reads %s", (ns, text) => {
  expect(formatNs(ns)).toBe(text);
});

test("a ratio, a spread and a size carry their units", () => {
  expect(formatRatio(1.25)).toBe("1.250×");
  expect(formatSpread({ value: 100, low: 99, high: 101 })).toBe("± 1.0 %");
  expect(formatBytes(1536)).toBe("1.500 KiB");
  expect(formatBytes(0)).toBe("0 B");
});
