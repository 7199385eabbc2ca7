import { expect, test } from "vitest";
import {
  formatRankingSpread,
  formatRankingValue,
  formatRankingWords,
  formatResult,
  formatScore,
} from "./format-score.ts";

test("a result is formatted by the value that ranks it", () => {
  const timeNs = { value: 12_340, low: 12_340, high: 12_340 };
  expect([formatRankingValue({ timeNs }), formatResult({ timeNs })]).toEqual(["12.34 µs", "12.34 µs"]);
  const ranked = (ranking: "speedup" | "sol_score", value: number) => ({
    timeNs,
    rankedBy: { ranking, value, low: value, high: value },
  });
  const efficient = ranked("sol_score", 0.6234);
  expect([formatRankingValue(efficient), formatResult(efficient)]).toEqual(["0.623", "score 0.623, 12.34 µs"]);
  const faster = ranked("speedup", 2.014);
  expect([formatRankingValue(faster), formatResult(faster)]).toEqual(["2.014×", "2.014× speedup, 12.34 µs"]);
  expect([{ timeNs }, efficient, faster].map(formatRankingWords)).toEqual([
    "12.34 µs",
    "score 0.623",
    "2.014× speedup",
  ]);
});

test("a score has the speedup once, also where it ranks", () => {
  const timeNs = { value: 12_340, low: 12_340, high: 12_340 };
  const speedup = { value: 2.014, low: 1.9, high: 2.1 };
  expect(formatScore({ timeNs, speedup: null })).toBe("12.34 µs");
  expect(formatScore({ timeNs, speedup })).toBe("12.34 µs, 2.014× as fast as the reference");
  expect(formatScore({ timeNs, speedup, rankedBy: { ranking: "speedup", ...speedup } })).toBe(
    "2.014× as fast as the reference, 12.34 µs",
  );
});

test("the interval of what ranks has its unit", () => {
  const timeNs = { value: 12_340, low: 12_217, high: 12_463 };
  expect(formatRankingSpread({ timeNs })).toBe("± 1.0 %");
  expect(formatRankingSpread({ timeNs, rankedBy: { ranking: "speedup", value: 2, low: 1.5, high: 3 } })).toBe(
    "(1.500× to 3.000×)",
  );
});
