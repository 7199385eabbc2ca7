/** Which problem versions a board ranks together, and which changes start a new revision of the board. */
import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { carryOver } from "../moderation/carry-over.ts";
import { flagRun } from "../moderation/flag.ts";
import { confirmTop, rerunSubmission } from "../moderation/rerun.ts";
import { moderationQueue } from "../moderation/quarantine.ts";
import { closeProblem } from "../problems/close.ts";
import { syncProblems } from "../problems/sync.ts";
import { made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import {
  claimed,
  failing,
  passing,
  person,
  problemFiles,
  problemTree,
  ranked,
  reported,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readBoard } from "./boards.ts";
import { listBoards } from "./list.ts";
import { readHistory } from "./history.ts";

useScene();
useOrganiser();

type Change = (task: string) => string;
const HARDER: Change = (task) => task.replace("size: 16", "size: 32");
const BETTER_TEXT: Change = (task) => `${task.replace("Doubles", "It doubles")}ranked_timeout: 300\n`;

/** Syncs a changed `double`, with additional files. */
async function syncDouble(change: Change, files: Record<string, string> = {}): Promise<void> {
  const { broken } = await syncProblems(database, problemTree({ "set/double": { ...problemFiles(change), ...files } }));
  expect(broken).toEqual([]);
}

async function rows(revision?: number, target = "cpu") {
  const board = await readBoard(database, STRANGER, "double", target, revision);
  return board.rows.map((row) => [row.account.name, row.timeNs.value, row.submissionId]);
}

const carry = { board: "double", target: "cpu", revision: 1, top: null };

/** Judges the queued run with this time in both cases and returns its id. */
async function judged(timeNs: number): Promise<number> {
  const run = await claimed(database, box);
  await reported(database, box, run, passing("ranked", [timeNs, timeNs]));
  return run.runId;
}

test("changed texts, starters and limits keep the board, which names the newest version", async () => {
  const id = await ranked(database, ann, box, 100);
  await syncDouble((task) => `${BETTER_TEXT(task)}templates: { Python: template.py }\n`, {
    "template.py": "pass\n",
    "README.md": "# Double\n",
  });
  const later = await ranked(database, bob, box, 90);
  expect(await rows()).toEqual([
    ["bob", 90, later],
    ["ann", 100, id],
  ]);
  const board = await readBoard(database, STRANGER, "double", "cpu");
  const { version } = await database.db
    .selectFrom("problem")
    .select("version")
    .where("name", "=", "double")
    .executeTakeFirstOrThrow();
  expect(board).toMatchObject({ revision: 1, currentRevision: 1, problemVersion: version });
});

test("a change of judging starts a new revision, and the previous one stays readable", async () => {
  const id = await ranked(database, ann, box, 100);
  await syncDouble(HARDER);
  const board = await readBoard(database, STRANGER, "double", "cpu");
  expect(board).toMatchObject({ revision: 2, currentRevision: 2, rows: [] });
  expect(await rows(1)).toEqual([["ann", 100, id]]);
  expect(await readBoard(database, STRANGER, "double", "cpu", 1)).toMatchObject({ revision: 1, currentRevision: 2 });
  await expect(readBoard(database, STRANGER, "double", "cpu", 3)).rejects.toThrow("has no revision 3");
});

test("a change for one target keeps the boards of the others", async () => {
  await ranked(database, ann, box, 100);
  await ranked(database, ann, box, 100, { targets: ["H100"] });
  await syncDouble((task) => task.replace("H100: {}", "H100: { tests: [{ size: 4, seed: 4 }] }"));
  expect(await rows()).toHaveLength(1);
  expect(await rows(undefined, "H100")).toEqual([]);
});

test("a dropped target keeps its board", async () => {
  await ranked(database, ann, box, 100, { targets: ["H100"] });
  await syncDouble((task) => HARDER(task).replace(", H100: {}", ""));
  const board = await readBoard(database, STRANGER, "double", "H100");
  expect(board).toMatchObject({ revision: 1, rows: [{ account: { name: "ann" } }] });
  expect(board.cases[1]).toBe("size: 16; seed: 3");
});

test("restoring the problem restores the previous revision with its entries", async () => {
  const first = await ranked(database, ann, box, 100);
  await syncDouble(HARDER);
  await ranked(database, bob, box, 200);
  await syncDouble((task) => task);
  expect(await rows()).toEqual([["ann", 100, first]]);
  await syncDouble(HARDER);
  expect(await readBoard(database, STRANGER, "double", "cpu")).toMatchObject({
    revision: 2,
    rows: [{ account: { name: "bob" } }],
  });
});

test("an organiser re-runs the best entries on the new revision, where they count for their authors", async () => {
  await ranked(database, ann, box, 300);
  const fast = await ranked(database, ann, box, 100);
  const other = await ranked(database, bob, box, 120);
  await syncDouble(HARDER);
  expect(await carryOver(database, root, carry)).toHaveLength(2);
  await judged(500);
  const again = await judged(400);
  expect(await rows()).toEqual([
    ["bob", 400, other],
    ["ann", 500, fast],
  ]);
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows).toMatchObject([
    { verification: "provisional", runId: again },
    { verification: "provisional" },
  ]);
  expect(await rows(1)).toEqual([
    ["ann", 100, fast],
    ["bob", 120, other],
  ]);
  expect(
    (await readHistory(database, STRANGER, "double", "cpu", [])).records.map((point) => point.timeNs.value),
  ).toEqual([500, 400]);
  expect((await listBoards(database, STRANGER)).find(({ target }) => target === "cpu")).toMatchObject({ bestNs: 400 });
});

test("does not queue an entry that was re-run or is being re-run", async () => {
  await ranked(database, ann, box, 100);
  await syncDouble(HARDER);
  const both = await Promise.all([carryOver(database, root, carry), carryOver(database, root, carry)]);
  expect(both.flat()).toHaveLength(1);
  await judged(400);
  expect(await carryOver(database, root, carry)).toEqual([]);
  await expect(carryOver(database, root, { ...carry, revision: 2 })).rejects.toMatchObject({ code: "conflict" });
  await expect(carryOver(database, root, { ...carry, revision: 9 })).rejects.toMatchObject({ code: "not_found" });
});

test("a failed re-run on the new revision does not affect the previous one", async () => {
  await ranked(database, ann, box, 100);
  await syncDouble(HARDER);
  await carryOver(database, root, carry);
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  expect(await rows()).toEqual([]);
  expect(await rows(1)).toHaveLength(1);
  expect((await moderationQueue(database)).items).toEqual([]);
});

test("a re-run entry is confirmed, flagged and re-run like any other, by its own version", async () => {
  const id = await ranked(database, ann, box, 100);
  await syncDouble(HARDER);
  await carryOver(database, root, carry);
  const entry = await judged(400);
  expect(await confirmTop(database, 1)).toHaveLength(1);
  await judged(410);
  expect(await confirmTop(database, 1)).toEqual([]);
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows).toMatchObject([
    { verification: "confirmed", timeNs: { value: 410 }, enteredBy: { runId: entry } },
  ]);
  expect(await rows(1)).toEqual([["ann", 100, id]]);
  expect(await rerunSubmission(database, root, id)).toHaveLength(1);
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  expect(await rows()).toEqual([]);
  expect(await rows(1)).toHaveLength(1);
  expect((await moderationQueue(database)).items).toMatchObject([{ runId: entry, flags: [{ check: "rerun" }] }]);
  await syncDouble(BETTER_TEXT);
  const old = (await readBoard(database, STRANGER, "double", "cpu", 1)).rows[0]?.runId as number;
  await flagRun(database, root, old, "a copy");
  expect(await rows(1)).toEqual([]);
});

test("only organisers of the competition may request it, also after its end", async () => {
  await made({ problems: ["double"] });
  const id = await ranked(database, ann, box, 100);
  await syncDouble(HARDER);
  const otto = await person(database, "otto", ["admin"], ["organiser"]);
  await expect(carryOver(database, ann, carry)).rejects.toMatchObject({ code: "forbidden" });
  await expect(carryOver(database, otto, carry)).rejects.toMatchObject({ code: "forbidden" });
  await closeProblem(database, olga, "double");
  expect(await carryOver(database, olga, carry)).toHaveLength(1);
  await judged(400);
  expect(await rows()).toEqual([["ann", 400, id]]);
});
