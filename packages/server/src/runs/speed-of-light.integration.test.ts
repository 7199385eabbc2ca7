/** Ranked runs compared with the speed-of-light bound of their cases. */
import type { Machine } from "@kernelbot/core";
import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { readBoard } from "../boards/boards.ts";
import { claimed, MACHINE, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { readRun, readSubmission } from "../submissions/views.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

const MEASURED: Machine = {
  ...MACHINE,
  cpu: { ...MACHINE.cpu, measured: { memoryBytesPerS: 5e9, operationsPerS: 1e9 } },
};

/**
 * Reports a ranked run whose two cases take 1 µs each, on a machine with a memory bandwidth of 10 bytes per nanosecond.
 */
async function rankedWithCost(
  cost: { bytes: number | null; operations: number | null; outputBytes: number | null },
  indices = [1],
) {
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box, "cpu", { machine: MEASURED });
  const events = passing("ranked", [1000, 1000]).map((event) =>
    event.type === "case_finished" && event.stage === "ranked" && indices.includes(event.index)
      ? { ...event, ...cost }
      : event,
  );
  await reported(database, box, run, events);
  const summary = (await readSubmission(database, id))?.runs[0];
  return { summary, timed: (await readRun(database, run.runId))?.stages.at(-1)?.cases };
}

test("a ranked run with a case below the speed-of-light bound is quarantined with the figures", async () => {
  const { summary, timed } = await rankedWithCost({ bytes: 30_000, operations: null, outputBytes: 10_000 });
  expect(summary).toMatchObject({
    verdict: "quarantined",
    message:
      "faster than the hardware allows, so a moderator must review it: case 2 (size: 16; seed: 3) took 1.000 µs, below its " +
      "speed-of-light bound of 2.000 µs: at least 20,000 bytes at no more than 10.00 GB/s (measured)",
    score: null,
  });
  expect(timed).toMatchObject([
    { speedOfLight: null },
    { outputBytes: 10_000, speedOfLight: { ns: 2000, by: "memory" } },
  ]);
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows).toEqual([]);
});

test("a ranked run above the speed-of-light bound is ranked, and its cases report the bound", async () => {
  const { summary, timed } = await rankedWithCost({ bytes: 15_000, operations: 1, outputBytes: 10_000 });
  expect(summary).toMatchObject({ verdict: "passed", score: { timeNs: { value: 1000 } } });
  expect(timed?.[1]).toMatchObject({ speedOfLight: { ns: 500, by: "memory", amount: 5000, from: "measured" } });
});

test("a board shows an entry's share of the speed of light over all cases, and null if a case has no bound", async () => {
  const cost = { bytes: 15_000, operations: 1, outputBytes: 10_000 };
  const share = async () => (await readBoard(database, STRANGER, "double", "cpu")).rows[0]?.speedOfLightShare;
  await rankedWithCost(cost);
  expect(await share()).toBeNull();
  await database.sql`update submission set removed_at = now(), removed_by = account_id`;
  await rankedWithCost(cost, [0, 1]);
  expect(await share()).toBeCloseTo(0.5);
});

test("a ranked run of a problem that declares no cost is ranked", async () => {
  const { summary, timed } = await rankedWithCost({ bytes: null, operations: null, outputBytes: 10_000 });
  expect(summary?.verdict).toBe("passed");
  expect(timed?.map(({ speedOfLight }) => speedOfLight)).toEqual([null, null]);
});
