import { expect, test } from "vitest";
import type { QueueTarget } from "./queue.ts";
import { incidentsOf } from "./service-status.ts";

const HOURS = ["2026-03-01T10:00:00.000Z", "2026-03-01T11:00:00.000Z"].map((at) => ({
  ...{ at, runs: 4, medianWaitMs: 10, infraErrors: 0 },
}));
const H100: QueueTarget = {
  ...{ target: "H100", status: "online", runners: [], lastRunnerAt: null, waiting: 0, running: 0, oldestAt: null },
  ...{ expectedWaitMs: null, modes: [], hours: HOURS },
};
const OK = { database: "ok", store: "ok" };

test("a service that accepts and judges submissions has no incidents", () => {
  expect(incidentsOf(true, OK, [H100, { ...H100, waiting: 3 }, { ...H100, status: "offline" }])).toEqual([]);
});

test("parts that are not ready, a closed gate and queued runs without a runner are current incidents", () => {
  const stranded: QueueTarget = { ...H100, status: "offline", waiting: 2, oldestAt: HOURS[0]?.at ?? null };
  const found = incidentsOf(false, { ...OK, store: "the object store is not writable" }, [stranded]);
  expect(found.every(({ isCurrent }) => isCurrent)).toBe(true);
  expect(found.map(({ kind, target, at }) => [kind, target, at])).toEqual([
    ["part", null, null],
    ["closed", null, null],
    ["no_runner", "H100", HOURS[0]?.at],
  ]);
});

test("platform failures are incidents of their hour, of which only the last is current", () => {
  const hours = HOURS.map((hour) => ({ ...hour, infraErrors: 1 }));
  expect(incidentsOf(true, OK, [{ ...H100, hours }]).map(({ at, isCurrent }) => [at, isCurrent])).toEqual([
    [HOURS[1]?.at, true],
    [HOURS[0]?.at, false],
  ]);
});
