import { expect, test } from "vitest";
import { histogram } from "./histogram.ts";

test("draws bars over an axis with units", () => {
  const samples = [1000, 1000, 1000, 1000, 1250, 1500, 1500, 2000];
  expect(histogram(samples, 32, 2)).toEqual([
    "█",
    "█       ▄       █              ▄",
    "└──────────────────────────────┘",
    "1.000 µs    1.500 µs    2.000 µs",
  ]);
});

test("equal samples are in the middle", () => {
  const [row, axis, labels] = histogram([500, 500], 32, 1);
  expect(row).toBe(`${" ".repeat(16)}█`);
  expect(axis).toHaveLength(32);
  expect(labels?.trim()).toBe("500.0 ns");
});

test("far outliers are counted below the axis and do not flatten the others", () => {
  const samples = [...Array.from({ length: 95 }, (_, index) => 1000 + index), 2e3, 3e3, 4e3, 5e3, 1e6];
  const lines = histogram(samples, 32, 1);
  expect(lines.at(-1)).toBe("5 of 100 samples are beyond the axis, up to 1.000 ms");
  expect(lines[0]).toMatch(/^[▁-█]{32}$/);
});
