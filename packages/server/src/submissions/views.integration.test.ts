import { Board, BoardSummary, LogEvent, RunDetail, Submission } from "@kernelbot/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { STRANGER } from "../auth/visibility.ts";
import { claimed, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { readBoard } from "../boards/boards.ts";
import { listBoards } from "../boards/list.ts";
import { listSubmissions, readEvents, readRun, readSource, readSubmission } from "./views.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

test("submissions and runs match the API schemas in every state of a run", async () => {
  const queued = await submitted(database, ann, { targets: ["cpu", "H100"] });
  const running = await submitted(database, ann, { targets: ["H100"] });
  await claimed(database, box, "H100");
  await claimed(database, box, "H100");
  const done = await ranked(database, ann, box, 100);
  for (const id of [queued, running, done]) {
    const submission = await readSubmission(database, id);
    expect(Submission.parse(submission)).toEqual(submission);
    const log = await readEvents(database, id, 0, 100);
    expect(z.array(LogEvent).parse(log)).toEqual(log);
    for (const { id } of submission?.runs ?? []) {
      const run = await readRun(database, id);
      expect(RunDetail.parse(run)).toEqual(run);
    }
  }
  const boards = await listBoards(database, STRANGER);
  expect(z.array(BoardSummary).parse(boards)).toEqual(boards);
  const board = await readBoard(database, STRANGER, "double", "cpu");
  expect(Board.parse(board)).toEqual(board);
});

test("missing submissions and runs are null, and missing events are an empty list", async () => {
  expect(await readSubmission(database, 1)).toBeNull();
  expect(await readRun(database, 1)).toBeNull();
  expect(await readSource(database, 1)).toBeNull();
  expect(await readEvents(database, 1, 0, 10)).toEqual([]);
});

test("events are read from the given number on", async () => {
  const id = await submitted(database, ann);
  await reported(database, box, await claimed(database, box), passing("test"));
  const ids = (await readEvents(database, id, 4, 3)).map((event) => event.id);
  expect(ids).toEqual([5, 6, 7]);
});

test("lists the account's own submissions, newest first, by page", async () => {
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.unshift(await submitted(database, ann, { targets: ["cpu", "H100"] }));
  await submitted(database, bob);
  const list = async (page: { before?: number; limit: number }) =>
    (await listSubmissions(database, ann, page)).map((submission) => submission.id);
  expect(await list({ limit: 3 })).toEqual(ids.slice(0, 3));
  expect(await list({ limit: 3, before: ids[2] as number })).toEqual(ids.slice(3));
  expect((await listSubmissions(database, ann, { limit: 1 }))[0]?.runs).toHaveLength(2);
});

test("a retried run shows only its latest attempt", async () => {
  await submitted(database, ann);
  const first = await claimed(database, box);
  await reported(database, box, first, [
    { type: "stage_started", stage: "prepare", cases: 0 },
    { type: "verdict", verdict: "infra_error", failureClass: null, message: null, detail: null },
  ]);
  const second = await claimed(database, box);
  await reported(database, box, second, passing("test"));
  const run = await readRun(database, second.runId);
  expect(run?.attempt).toBe(2);
  expect(run?.stages.map((stage) => [stage.stage, stage.passed])).toEqual([
    ["prepare", true],
    ["test", true],
  ]);
});
