import { summarizeSamples } from "@kernelbot/core";
import { expect, test } from "vitest";
import { PLAIN } from "../output/style.ts";
import { timedCase, checkedCase } from "@kernelbot/testing/cli/samples.ts";
import { sampleLines, summaryWords } from "./samples.ts";

test("a summary fits a line, with the share of outliers", () => {
  expect(summaryWords(summarizeSamples([10_000, 11_000, 12_000, 13_000, 90_000]))).toBe(
    "mean 27.20 µs, median 12.00 µs, sd 35.12 µs, error 15.71 µs, 10.00 µs to 90.00 µs, 1 outlier (20.0 %)",
  );
});

test("a single sample has neither scatter nor outliers", () => {
  expect(summaryWords(summarizeSamples([500]))).toBe(
    "mean 500.0 ns, median 500.0 ns, 500.0 ns to 500.0 ns, no outliers",
  );
});

test("a timed case has its samples and those of the reference summed up above its distribution", () => {
  const lines = sampleLines(timedCase(0, 1e4, 2e4), { width: 120, style: PLAIN, histograms: true });
  expect(lines.slice(0, 4)).toEqual([
    "",
    "case 1, 12 samples in 6 rounds (precise)",
    "mean 10.26 µs, median 10.26 µs, sd 178.5 ns, error 51.54 ns, 10.00 µs to 10.51 µs, no outliers",
    "reference: mean 20.00 µs, median 20.00 µs, sd 0.000 ns, error 0.000 ns, 20.00 µs to 20.00 µs, no outliers",
  ]);
});

test("a case without samples has nothing to show", () => {
  expect(sampleLines(checkedCase(0), { width: 120, style: PLAIN, histograms: true })).toEqual([]);
});
