import type { ReviewFinding } from "@kernelbot/core";
import { expect, test } from "vitest";
import { PLAIN } from "../output/style.ts";
import { reviewLines } from "./review.ts";

const finding = (line: number, severity: ReviewFinding["severity"], rule = "clock.read"): ReviewFinding => ({
  rule,
  severity,
  line,
  column: 1,
  sentence: "It reads a clock.",
  excerpt: "",
});

test("a source without findings has no heading", () => {
  expect(reviewLines([], 80, PLAIN)).toEqual([]);
});

test("the most severe of many findings are shown in line order, and the others counted", () => {
  const many = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => finding(line, "info"));
  expect(reviewLines([...many, finding(12, "suspicious")], 80, PLAIN)).toEqual([
    "",
    "Static review (advisory)",
    ...[1, 2, 3, 4, 5, 6, 7].map((line) => `  line ${line}: info: It reads a clock.`),
    "  line 12: suspicious: It reads a clock.",
    "  … and 2 findings more; --json lists all",
  ]);
});

test("repeated findings of one rule do not hide other rules", () => {
  const many = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => finding(line, "info"));
  const lines = reviewLines([...many, finding(12, "info", "files.open")], 80, PLAIN);
  expect(lines.at(-2)).toBe("  line 12: info: It reads a clock.");
});
