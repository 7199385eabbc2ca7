import { expect, test } from "vitest";
import { histogram } from "./histogram.ts";

test("bars stand where the samples are, over an axis with units", () => {
  const samples = [1000, 1000, 1000, 1000, 1250, 1500, 1500, 2000];
  expect(histogram(samples, 32, 2)).toEqual([
    "█",
    "█       ▄       █              ▄",
    "└──────────────────────────────┘",
    "1.000 µs    1.500 µs    2.000 µs",
  ]);
});

test("samples that are all the same stand in the middle", () => {
  const [row, axis, labels] = histogram([500, 500], 32, 1);
  expect(row).toBe(`${" ".repeat(16)}█`);
  expect(axis).toHaveLength(32);
  expect(labels?.trim()).toBe("500.0 ns");
});

test("far outliers are told in words and do not flatten the rest", () => {
  const samples = [...Array.from({ length: 95 }, (_, index) => 1000 + index), 2e3, 3e3, 4e3, 5e3, 1e6];
  const lines = histogram(samples, 32, 1);
  expect(lines.at(-1)).toBe("5 of 100 samples lie beyond, up to 1.000 ms");
  expect(lines[0]).toMatch(/^[▁-█]{32}$/);
});
