import { expect, test } from "vitest";
import { stepChart } from "./step-chart.ts";

test("records fall from left to right, on an axis of time and a logarithmic one of times", () => {
  const steps = [
    { at: "2026-03-01T12:00:00Z", ns: 1e6 },
    { at: "2026-03-03T12:00:00Z", ns: 1e5 },
    { at: "2026-03-05T12:00:00Z", ns: 1e4 },
  ];
  expect(stepChart(steps, 60).map((line) => line.replace(/2026.*/, "moments"))).toEqual([
    `1.000 ms  ●${"─".repeat(25)}`,
    "",
    "",
    "",
    `${" ".repeat(35)}●${"─".repeat(24)}`,
    "",
    "",
    `10.00 µs${" ".repeat(51)}●`,
    "          moments",
  ]);
});

test("a single record has no chart", () => {
  expect(stepChart([{ at: "2026-03-01T12:00:00Z", ns: 1e6 }], 60)).toEqual([]);
});
