import { expect, test } from "vitest";
import {
  formatAvailability,
  formatTargetStatuses,
  formatWaitingTargets,
  isStranded,
  targetsOfStatuses,
  type TargetAvailability,
} from "./availability.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const OFFLINE: TargetAvailability = { status: "offline", online: 0, queued: 3, lastSeenAt: null };
const ONLINE: TargetAvailability = { status: "online", online: 2, queued: 3, lastSeenAt: null };
const ON_DEMAND: TargetAvailability = { ...OFFLINE, status: "on_demand" };
const PAUSED: TargetAvailability = { ...OFFLINE, status: "paused" };

test.each([
  [null, "last seen never"],
  ["2026-03-01T11:59:30Z", "last seen less than 1 min ago"],
  ["2026-03-01T11:01:00Z", "last seen 59 min ago"],
  ["2026-03-01T09:30:00Z", "last seen 2 h ago"],
  ["2026-02-25T11:00:00Z", "last seen 4 d ago"],
  ["2026-03-01T12:00:05Z", "last seen less than 1 min ago"],
])("a target without a runner says when one was last seen: %s", (lastSeenAt, seen) => {
  expect(formatAvailability("H100", { ...OFFLINE, lastSeenAt }, NOW)).toBe(
    `no runner for H100 is connected; 3 submissions queued; ${seen}`,
  );
});

test("each status has its own sentence, and a target with a runner has none", () => {
  expect(formatAvailability("H100", ONLINE, NOW)).toBeNull();
  expect(formatAvailability("H100", { ...ON_DEMAND, queued: 1 }, NOW)).toBe(
    "a runner for H100 is started on demand; 1 submission queued",
  );
  expect(formatAvailability("H100", { ...ON_DEMAND, status: "starting" }, NOW)).toBe(
    "the runner for H100 is starting; 3 submissions queued",
  );
  expect(formatAvailability("H100", { ...PAUSED, queued: 0 }, NOW)).toBe(
    "every runner for H100 is paused; no submissions queued",
  );
});

test("of several runs only targets without an online runner are named, each once", () => {
  const runs = [
    { target: "cpu", runners: ONLINE },
    { target: "H100", runners: PAUSED },
    { target: "H100", runners: PAUSED },
    { target: "B200", runners: null },
  ];
  expect(formatWaitingTargets(runs, NOW)).toEqual(["every runner for H100 is paused; 3 submissions queued"]);
});

test("a submission is stranded while no open run can proceed", () => {
  const stranded = { state: "queued", runners: OFFLINE };
  expect(isStranded([stranded, { state: "queued", runners: PAUSED }])).toBe(true);
  expect(isStranded([stranded, { state: "done", runners: null }])).toBe(true);
  expect(isStranded([stranded, { state: "running", runners: null }])).toBe(false);
  expect(isStranded([stranded, { state: "queued", runners: ON_DEMAND }])).toBe(false);
  expect(isStranded([stranded, { state: "queued", runners: ONLINE }])).toBe(false);
  expect(isStranded([{ state: "queued", runners: { ...OFFLINE, status: "starting" } }])).toBe(false);
  expect(isStranded([{ state: "queued", runners: null }])).toBe(false);
  expect(isStranded([{ state: "done", runners: null }])).toBe(false);
});

test("the statuses of targets are formatted in one order, and their targets are read back", () => {
  const text = formatTargetStatuses(["cpu", "H100", "cpu"], (target) => ({
    status: target === "cpu" ? "online" : "on_demand",
  }));
  expect(text).toBe("H100:on_demand,cpu:online");
  expect(targetsOfStatuses(text)).toEqual(["H100", "cpu"]);
});
