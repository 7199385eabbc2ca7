import { expect, test } from "vitest";
import { formatConditions } from "./conditions.ts";
import { scoreRun } from "./score.ts";
import type { Conditions, Rounds } from "../run/tester-protocol.ts";

const cool: Conditions = { smMhz: 1980, memoryMhz: 2619, temperatureC: 60, powerW: 400, throttled: [], mark: null };
const braked: Conditions = {
  ...cool,
  smMhz: 1500,
  temperatureC: 88.4,
  throttled: ["power brake"],
  mark: "power brake",
};
const rounds = (...conditions: (Conditions | undefined)[]): Rounds =>
  conditions.map((one) => ({
    candidateNs: [one?.mark ? 9_000 : 1_000],
    referenceNs: [one?.mark ? 18_000 : 2_000],
    ...(one && { conditions: one }),
  }));

test("marked rounds are reported, and excluded from the score if enough others remain", () => {
  const measured = rounds(cool, braked, cool, cool, cool, cool, cool);
  expect(formatConditions(measured)).toBe(
    "SM clock 1500 to 1980 MHz, memory 2619 MHz, 60 to 88 °C, 400 W, 1 round left out (power brake)",
  );
  expect(scoreRun([measured], "last", "H100").timeNs).toEqual({ value: 1_000, low: 1_000, high: 1_000 });
});

test("every round counts if too few unmarked ones remain", () => {
  const measured = rounds(cool, braked, braked, cool, cool, cool, cool);
  expect(formatConditions(measured)).toMatch(/2 rounds repeated and counted \(power brake\)$/);
  expect(scoreRun([measured], "last", "H100").timeNs.high).toBe(9_000);
});

test("unmeasured conditions are omitted", () => {
  expect(formatConditions(rounds(undefined, undefined))).toBeNull();
  expect(formatConditions(rounds({ ...cool, powerW: null, memoryMhz: null }))).toBe("SM clock 1980 MHz, 60 °C");
});
