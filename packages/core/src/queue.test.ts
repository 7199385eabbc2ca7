import { expect, test } from "vitest";
import { expectedWaitMs } from "./queue.ts";

const medianMs = new Map([
  ["test", 1000],
  ["ranked", 60_000],
] as const);

test("who comes to a runner that is free waits for nothing", () => {
  expect(expectedWaitMs({ runners: 2, waiting: [], running: [{ mode: "profile", forMs: 0 }], medianMs })).toBe(0);
});

test("what waits and what is left of what runs is shared by the runners", () => {
  const waiting = [
    { mode: "ranked", count: 2 },
    { mode: "test", count: 10 },
  ] as const;
  const running = [
    { mode: "ranked", forMs: 30_000 },
    { mode: "ranked", forMs: 90_000 },
  ] as const;
  expect(expectedWaitMs({ runners: 2, waiting, running, medianMs })).toBe((120_000 + 10_000 + 30_000) / 2);
});

test("no runner, or a mode that did not run often enough, makes it unknown", () => {
  expect(expectedWaitMs({ runners: 0, waiting: [], running: [], medianMs })).toBeNull();
  const waiting = [{ mode: "profile", count: 1 }] as const;
  expect(expectedWaitMs({ runners: 1, waiting, running: [], medianMs })).toBeNull();
});
