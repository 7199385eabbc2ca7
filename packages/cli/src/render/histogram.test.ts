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

test("a far outlier is told in words and does not flatten the rest", () => {
  const samples = [...Array.from({ length: 99 }, (_, index) => 1000 + index), 1e6];
  const lines = histogram(samples, 32, 1);
  expect(lines.at(-1)).toBe("2 of 100 samples lie beyond, up to 1.000 ms");
  expect(lines[0]).toMatch(/^[▁-█]{32}$/);
});
