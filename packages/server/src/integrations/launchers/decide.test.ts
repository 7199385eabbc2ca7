import { expect, test } from "vitest";
import { backoffMs } from "../../jobs/backoff.ts";
import { decide, LAUNCH_BACKOFF, type History } from "./decide.ts";
import { TargetSettings } from "./settings.ts";

const NOON = new Date("2026-03-10T12:00:00Z");
const HOUR_MS = 3_600_000;
const FRESH: History = { open: 0, coming: 0, lastAt: null, trouble: null, spentToday: 0, spentThisMonth: 0 };

function decided(settings: Partial<TargetSettings>, history: Partial<History>, wanted: number, now = NOON) {
  return decide(TargetSettings.parse({ maxRunners: 4, ...settings }), { ...FRESH, ...history }, wanted, now);
}

test("as many are launched as are wanted and there is room for", () => {
  expect(decided({}, {}, 3).lifetimesMs).toEqual([HOUR_MS, HOUR_MS, HOUR_MS]);
  expect(decided({}, { open: 2 }, 9).lifetimesMs).toHaveLength(2);
});

test.each<[string, Partial<History>, number, boolean, RegExp]>([
  ["nothing waits", {}, 0, false, /^no run waits/],
  ["more are there than wait", {}, -2, false, /^no run waits/],
  ["its limit is reached", { open: 4 }, 1, true, /^at its limit: 4 of 4 runners$/],
  [
    "it has just launched",
    { lastAt: new Date(NOON.getTime() - 5000) },
    1,
    false,
    /^waits until 2026-03-10 12:00:10 UTC/,
  ],
  [
    "it has just failed",
    { trouble: { failures: 3, retryAt: new Date(NOON.getTime() + 60_000), error: "no quota" } },
    1,
    true,
    /^tries again at 2026-03-10 12:01:00 UTC after 3 launches that failed: no quota$/,
  ],
  [
    "it tries again after a failure",
    { coming: 1, open: 1, trouble: { failures: 1, retryAt: NOON, error: "no quota" } },
    1,
    false,
    /^has one on its way/,
  ],
])("none is launched while %s", (_, history, wanted, held, says) => {
  const decision = decided({}, history, wanted);
  expect(decision).toMatchObject({ lifetimesMs: [], held });
  expect(decision.says).toMatch(says);
});

test("after a failure one is tried, however many wait", () => {
  const trouble = { failures: 2, retryAt: NOON, error: "no quota" };
  expect(decided({}, { trouble }, 4).lifetimesMs).toHaveLength(1);
});

test("a budget bounds how long runners claim, and how many there are", () => {
  const settings = { ratePerHour: 2, budgetPerDay: 10 };
  expect(decided(settings, { spentToday: 5 }, 4).lifetimesMs).toEqual([HOUR_MS, HOUR_MS, HOUR_MS / 2]);
});

test("what is left for less than five minutes launches nothing, and says what was spent", () => {
  const decision = decided({ ratePerHour: 2, budgetPerDay: 10 }, { spentToday: 9.9 }, 1);
  expect(decision).toEqual({
    lifetimesMs: [],
    held: true,
    says: "its budget of this day is used up: 9.90 of 10 are spent or kept for those that run",
  });
});

test("the budget of the month holds where that of the day would not", () => {
  const decision = decided({ budgetPerDay: 10, budgetPerMonth: 100 }, { spentToday: 1, spentThisMonth: 100 }, 1);
  expect(decision.says).toMatch(/^its budget of this month is used up: 100.00 of 100/);
});

test("what lies beyond midnight is paid by the next day", () => {
  const late = new Date("2026-03-10T23:30:00Z");
  expect(decided({ budgetPerDay: 10 }, { spentToday: 9.5 }, 1, late).lifetimesMs).toEqual([HOUR_MS]);
});

test("a runner that costs nothing needs no budget", () => {
  expect(decided({ ratePerHour: 0, budgetPerDay: 1 }, { spentToday: 1 }, 1).lifetimesMs).toEqual([HOUR_MS]);
});

test("pauses after failures double to half an hour, less a random part", () => {
  const pauses = [1, 2, 3, 7, 99].map((failures) => backoffMs(LAUNCH_BACKOFF, failures, () => 1) / 1000);
  expect(pauses).toEqual([30, 60, 120, 1800, 1800]);
  expect(backoffMs(LAUNCH_BACKOFF, 1, () => 0)).toBe(15_000);
});
