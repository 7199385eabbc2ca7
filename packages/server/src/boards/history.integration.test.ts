import { expect, test } from "vitest";
import type { HistoryPoint } from "@kernelbot/core";
import { STRANGER } from "../auth/visibility.ts";
import { removeOwn } from "../moderation/remove.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { readBoard } from "./boards.ts";
import { readHistory } from "./history.ts";

useScene();

const read = (...entrants: string[]) => readHistory(database, STRANGER, "double", "cpu", entrants);
const short = ({ account, timeNs }: HistoryPoint) => [account.name, timeNs.value];

test("records are the results that beat all earlier ones, up to the leader", async () => {
  await ranked(database, ann, box, 300);
  await ranked(database, bob, box, 400);
  await ranked(database, bob, box, 200, { author: "autonomous", model: "Model 1" });
  await ranked(database, ann, box, 200);
  const { records, changeNumber } = await read();
  expect(records.map(short)).toEqual([
    ["ann", 300],
    ["bob", 200],
  ]);
  const board = await readBoard(database, STRANGER, "double", "cpu");
  const [first] = board.rows;
  expect(records.at(-1)).toEqual({
    submissionId: first?.submissionId,
    runId: first?.runId,
    verification: "provisional",
    account: bob.account,
    team: null,
    author: { kind: "autonomous", model: "Model 1" },
    submittedAt: first?.submittedAt,
    timeNs: first?.timeNs,
    rankedBy: { ranking: "speedup", value: 5, low: 5 / 1.02, high: 5 * 1.02 },
  });
  expect(changeNumber).toBe(board.changeNumber);
});

test("lists every counted run of an entrant, with its best time so far", async () => {
  for (const time of [300, 500, 200, 400]) await ranked(database, ann, box, time);
  await ranked(database, bob, box, 100);
  const { entrants } = await read(ann.account.id, "missing", ann.account.id);
  expect(entrants.map(({ entrant }) => entrant)).toEqual([ann.account]);
  expect(entrants[0]?.points.map(({ timeNs, bestNs }) => [timeNs.value, bestNs])).toEqual([
    [300, 300],
    [500, 300],
    [200, 200],
    [400, 200],
  ]);
});

test("excludes runs that do not count on the board", async () => {
  await ranked(database, ann, box, 300);
  const removed = await ranked(database, bob, box, 200);
  await removeOwn(database, bob, removed);
  const { records, entrants } = await read(bob.account.id);
  expect(records.map(short)).toEqual([["ann", 300]]);
  expect(entrants).toEqual([]);
});

test("an unknown board has no history", async () => {
  await expect(readHistory(database, STRANGER, "double", "MI300", [])).rejects.toMatchObject({ code: "not_found" });
});
