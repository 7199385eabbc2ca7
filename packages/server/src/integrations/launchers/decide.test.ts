import { expect, test } from "vitest";
import { backoffMs } from "../../jobs/backoff.ts";
import { decide, LAUNCH_BACKOFF, type History } from "./decide.ts";
import { TargetSettings } from "./settings.ts";

const NOON = new Date("2026-03-10T12:00:00Z");
const HOUR_MS = 3_600_000;
const FRESH: History = { open: 0, coming: 0, lastAt: null, trouble: null, spentToday: 0, spentThisMonth: 0 };

function decided(settings: Partial<TargetSettings>, history: Partial<History>, needed: number, now = NOON) {
  return decide(TargetSettings.parse({ maxRunners: 4, ...settings }), { ...FRESH, ...history }, needed, now);
}

test("launches as many runners as are needed, up to the limit", () => {
  expect(decided({}, {}, 3).lifetimesMs).toEqual([HOUR_MS, HOUR_MS, HOUR_MS]);
  expect(decided({}, { open: 2 }, 9).lifetimesMs).toHaveLength(2);
});

test.each<[string, Partial<History>, number, boolean, RegExp]>([
  ["no run is queued", {}, 0, false, /^no queued run needs a runner$/],
  ["more runners are idle than runs are queued", {}, -2, false, /^no queued run needs a runner$/],
  ["the limit is reached", { open: 4 }, 1, true, /^limit reached: 4 of 4 runners$/],
  [
    "the minimum interval has not passed",
    { lastAt: new Date(NOON.getTime() - 5000) },
    1,
    false,
    /^waits until 2026-03-10 12:00:10 UTC/,
  ],
  [
    "the retry delay has not passed",
    { trouble: { failures: 3, retryAt: new Date(NOON.getTime() + 60_000), error: "no quota" } },
    1,
    true,
    /^retries at 2026-03-10 12:01:00 UTC after 3 failed launches: no quota$/,
  ],
  [
    "a retry after a failure is starting",
    { coming: 1, open: 1, trouble: { failures: 1, retryAt: NOON, error: "no quota" } },
    1,
    false,
    /^one runner is starting after a failed launch$/,
  ],
])("launches nothing while %s", (_, history, needed, onHold, explanation) => {
  const decision = decided({}, history, needed);
  expect(decision).toMatchObject({ lifetimesMs: [], onHold });
  expect(decision.explanation).toMatch(explanation);
});

test("after a failure launches one runner, however many runs are queued", () => {
  const trouble = { failures: 2, retryAt: NOON, error: "no quota" };
  expect(decided({}, { trouble }, 4).lifetimesMs).toHaveLength(1);
});

test("a budget limits the number and lifetime of runners", () => {
  const settings = { ratePerHour: 2, budgetPerDay: 10 };
  expect(decided(settings, { spentToday: 5 }, 4).lifetimesMs).toEqual([HOUR_MS, HOUR_MS, HOUR_MS / 2]);
});

test("a budget for less than five minutes launches nothing, and the explanation states the spending", () => {
  const decision = decided({ ratePerHour: 2, budgetPerDay: 10 }, { spentToday: 9.9 }, 1);
  expect(decision).toEqual({
    lifetimesMs: [],
    onHold: true,
    explanation: "the budget of this day is used up: 9.90 of 10 is spent or reserved for open launches",
  });
});

test("the monthly budget applies in addition to the daily one", () => {
  const decision = decided({ budgetPerDay: 10, budgetPerMonth: 100 }, { spentToday: 1, spentThisMonth: 100 }, 1);
  expect(decision.explanation).toMatch(/^the budget of this month is used up: 100.00 of 100/);
});

test("time after midnight counts towards the next day's budget", () => {
  const late = new Date("2026-03-10T23:30:00Z");
  expect(decided({ budgetPerDay: 10 }, { spentToday: 9.5 }, 1, late).lifetimesMs).toEqual([HOUR_MS]);
});

test("a runner without cost needs no budget", () => {
  expect(decided({ ratePerHour: 0, budgetPerDay: 1 }, { spentToday: 1 }, 1).lifetimesMs).toEqual([HOUR_MS]);
});

test("backoff after failures doubles up to 30 min, with jitter", () => {
  const pauses = [1, 2, 3, 7, 99].map((failures) => backoffMs(LAUNCH_BACKOFF, failures, () => 1) / 1000);
  expect(pauses).toEqual([30, 60, 120, 1800, 1800]);
  expect(backoffMs(LAUNCH_BACKOFF, 1, () => 0)).toBe(15_000);
});
