import { formatMismatch } from "@kernelbot/core";
import { expect, test } from "vitest";
import { PLAIN } from "../output/style.ts";
import { checkedCase, timedCase } from "@kernelbot/testing/cli/samples.ts";
import { checkedCases, timedCases } from "./cases.ts";

const MISMATCH = {
  differing: 5000,
  total: 10_000,
  largestAbsolute: 12.3456,
  largestRelative: 8_024_123,
  first: [0, 1, 2, 3].map((at) => ({ index: [at, 7], got: "nan", expected: "1.5" })),
};

test("a mismatch is a sentence with counts and the largest errors", () => {
  expect(formatMismatch(MISMATCH)).toBe("5,000 of 10,000 elements differ; largest error 12.3, relative 8.02e+6");
  expect(formatMismatch({ ...MISMATCH, differing: 1, largestAbsolute: null, largestRelative: null })).toBe(
    "1 of 10,000 elements differs",
  );
});

test("the first failed cases list their first differences, the others only the counts", () => {
  const failed = { status: "failed", message: "long", mismatch: MISMATCH } as const;
  const lines = checkedCases([checkedCase(0), ...[1, 2, 3].map((at) => checkedCase(at, failed))], 80, PLAIN);
  const sentence = "     5,000 of 10,000 elements differ; largest error 12.3, relative 8.02e+6";
  const places = [0, 1, 2].map((at) => `     at [${at}, 7]: got nan, expected 1.5`);
  expect(lines).toEqual([
    "✓ 1  size: 127; seed: 4242",
    "✗ 2  size: 128; seed: 4242",
    sentence,
    ...places,
    "✗ 3  size: 129; seed: 4242",
    sentence,
    ...places,
    "✗ 4  size: 130; seed: 4242",
    sentence,
  ]);
});

test("cases that passed by the oracle show their differences", () => {
  const passed = { status: "passed" as const, mismatch: { ...MISMATCH, first: [] } };
  expect(checkedCases([checkedCase(0, passed)], 80, PLAIN)).toEqual([
    "✓ 1  size: 127; seed: 4242",
    "     as close to float64 as the reference; compared with the reference, 5,000 of",
    "     10,000 elements differ; largest error 12.3, relative 8.02e+6",
  ]);
  const lines = timedCases([timedCase(0, 10_000, 20_000), { ...timedCase(1, 10_000, 20_000), ...passed }], 80, PLAIN);
  expect(lines.slice(-2)).toEqual([
    "case 2: as close to float64 as the reference; compared with the reference, 5,000",
    "of 10,000 elements differ; largest error 12.3, relative 8.02e+6",
  ]);
});

test("cases skipped after a crash are counted", () => {
  const crashed = checkedCase(0, { status: "failed", message: "ValueError: no" });
  const skipped = [1, 2, 3].map((at) => checkedCase(at, { status: "skipped" }));
  expect(checkedCases([crashed, ...skipped], 80, PLAIN)).toEqual([
    "✗ 1  size: 127; seed: 4242",
    "     ValueError: no",
    "· 3 cases skipped",
  ]);
});

test("timed cases show their share of speed of light, if it is known", () => {
  const speedOfLight = { ns: 1234, by: "memory", amount: 1, perS: 1, from: "measured" } as const;
  const cases = [{ ...timedCase(0, 10_000, 20_000), speedOfLight }, timedCase(1, 10_000, 20_000)];
  const lines = timedCases(cases, 80, PLAIN);
  expect(lines.map((line) => line.slice(-26))).toEqual([
    "speedup  of speed of light",
    " 2.000×               12 %",
    " 2.000×                  –",
  ]);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(timedCases(cases.slice(1), 80, PLAIN)[0]).not.toContain("speed of light");
});
