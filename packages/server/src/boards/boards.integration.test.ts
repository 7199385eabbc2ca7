import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import {
  MACHINE,
  claimed,
  failing,
  passing,
  problemFiles,
  problemTree,
  ranked,
  reported,
  rounds,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { syncProblems } from "../problems/sync.ts";
import { readBoard } from "./boards.ts";
import { listBoards } from "./list.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

/** Returns the rows of the board as rank, name and time. */
async function rows(target = "cpu"): Promise<[number, string, number][]> {
  const board = await readBoard(database, STRANGER, "double", target);
  return board.rows.map((row) => [row.rank, row.account.name, row.timeNs.value]);
}

test("lists each account's best run, fastest first", async () => {
  await ranked(database, ann, box, 300);
  await ranked(database, bob, box, 200);
  await ranked(database, ann, box, 100);
  await ranked(database, ann, box, 400);
  expect(await rows()).toEqual([
    [1, "ann", 100],
    [2, "bob", 200],
  ]);
});

test("counts only passed ranked runs of this board", async () => {
  const timed = async (mode: "test" | "benchmark"): Promise<void> => {
    await submitted(database, ann, { mode });
    await reported(database, box, await claimed(database, box), passing(mode, [1, 1]));
  };
  await timed("test");
  await timed("benchmark");
  await submitted(database, ann, { mode: "ranked" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  await ranked(database, ann, box, 1, { board: "triple" });
  await ranked(database, ann, box, 1, { targets: ["H100"] });
  await ranked(database, ann, box, 0);
  expect(await rows()).toEqual([]);
});

test("keeps the earlier of equal runs, and ranks equal accounts in order of time", async () => {
  const first = await ranked(database, ann, box, 100);
  await ranked(database, ann, box, 100);
  await ranked(database, bob, box, 100);
  const board = await readBoard(database, STRANGER, "double", "cpu");
  expect(board.rows.map((row) => [row.rank, row.account.name, row.submissionId])).toEqual([
    [1, "ann", first],
    [1, "bob", first + 2],
  ]);
});

test("on a CPU the speedup ranks and times are as measured, so a run on a slower machine can rank first", async () => {
  await ranked(database, ann, box, 100);
  await submitted(database, bob, { mode: "ranked" });
  const onSlowMachine = passing("ranked", [180, 180]).map((event) =>
    event.type === "case_finished" && event.rounds.length > 0 ? { ...event, rounds: rounds(180, 2000) } : event,
  );
  await reported(database, box, await claimed(database, box), onSlowMachine);
  const board = await readBoard(database, STRANGER, "double", "cpu");
  expect(board.ranking).toBe("speedup");
  expect(board.rows.map((row) => [row.account.name, row.rankedBy?.value, row.timeNs.value])).toEqual([
    ["bob", 2000 / 180, 180],
    ["ann", 1000 / 100, 100],
  ]);
});

test("a row contains its submission and run", async () => {
  const id = await ranked(database, ann, box, 100, { fileName: "fast.py" });
  const { rows, ...head } = await readBoard(database, STRANGER, "double", "cpu");
  expect(head).toMatchObject({ board: "double", target: "cpu", rankingBy: "mean" });
  expect(rows).toMatchObject([
    {
      account: ann.account,
      submissionId: id,
      fileName: "fast.py",
      timeNs: { value: 100, low: 100, high: 100 },
      speedup: { value: 10, low: 10 / 1.02, high: 10 * 1.02 },
      rankedBy: { ranking: "speedup", value: 10, low: 10 / 1.02, high: 10 * 1.02 },
      deltaToNext: null,
      unsandboxed: false,
    },
  ]);
});

test("a board lists its cases, and a row its case times and its gap to the row above", async () => {
  for (const [who, times] of [
    [ann, [100, 300]],
    [bob, [100, 100]],
  ] as const) {
    await submitted(database, who, { mode: "ranked" });
    await reported(database, box, await claimed(database, box), passing("ranked", times));
  }
  const { cases, rows } = await readBoard(database, STRANGER, "double", "cpu");
  expect(cases).toEqual(["size: 8; seed: 2", "size: 16; seed: 3"]);
  expect(rows.map((row) => [row.account.name, row.caseTimesNs, row.speedOfLightShare])).toEqual([
    ["bob", [100, 100], null],
    ["ann", [100, 300], null],
  ]);
  // The means of the speedups are 10 and (10 + 10/3) / 2.
  expect(rows[1]?.deltaToNext?.value).toBeCloseTo(1.5);
});

test("marks runs without a sandbox", async () => {
  await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box, "cpu", { machine: { ...MACHINE, sandbox: "none" } });
  await reported(database, box, run, passing("ranked"));
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows[0]?.unsandboxed).toBe(true);
  expect((await listBoards(database, STRANGER)).find(({ leader }) => leader !== null)?.unsandboxed).toBe(true);
});

test("a new version of the problem resets its board", async () => {
  await ranked(database, ann, box, 100);
  const files = problemFiles((task) => task.replace("size: 8", "size: 9"));
  await syncProblems(database, problemTree({ "set/double": files }));
  expect(await rows()).toEqual([]);
  await ranked(database, bob, box, 300);
  expect(await rows()).toEqual([[1, "bob", 300]]);
});

test("a run of the previous version does not enter the new board", async () => {
  await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  const files = problemFiles((task) => task.replace("size: 8", "size: 9"));
  await syncProblems(database, problemTree({ "set/double": files }));
  await reported(database, box, run, passing("ranked"));
  expect(await rows()).toEqual([]);
});

test("lists every board with its leader, by the same ranking", async () => {
  await ranked(database, ann, box, 300);
  await ranked(database, bob, box, 200);
  expect(await listBoards(database, STRANGER)).toEqual([
    {
      board: "double",
      set: "set",
      target: "cpu",
      entries: 2,
      leader: bob.account,
      team: null,
      bestNs: 200,
      bestRankedBy: { ranking: "speedup", value: 5 },
      unsandboxed: false,
      freeze: null,
    },
    {
      board: "double",
      set: "set",
      target: "H100",
      entries: 0,
      leader: null,
      team: null,
      bestNs: null,
      unsandboxed: false,
      freeze: null,
    },
    {
      board: "triple",
      set: "set",
      target: "cpu",
      entries: 0,
      leader: null,
      team: null,
      bestNs: null,
      unsandboxed: false,
      freeze: null,
    },
    {
      board: "triple",
      set: "set",
      target: "H100",
      entries: 0,
      leader: null,
      team: null,
      bestNs: null,
      unsandboxed: false,
      freeze: null,
    },
  ]);
});

test("rejects an unknown board", async () => {
  await expect(readBoard(database, STRANGER, "double", "MI300")).rejects.toMatchObject({
    code: "not_found",
    message: 'board "double" on target "MI300" not found',
  });
});

test("reads a board once for concurrent viewers until it changes, and checks access for each", async () => {
  await ranked(database, ann, box, 300);
  const read = () => readBoard(database, STRANGER, "double", "cpu");
  const [first, second] = await Promise.all([read(), read()]);
  expect(second).toBe(first);
  await ranked(database, bob, box, 200);
  const third = await read();
  expect(third.rows.map(({ account }) => account.name)).toEqual(["bob", "ann"]);
  expect(third.changeNumber).toBeGreaterThan(first.changeNumber);
  await database.sql`insert into competition (name, title, description, visibility, starts_at, ends_at, code_visibility)
    values ('spring', 'Spring', '', 'closed', now() - interval '1 day', now() + interval '1 day', 'never')`;
  await database.sql`update problem set competition = 'spring' where name = 'double'`;
  await expect(read()).rejects.toMatchObject({ code: "not_found" });
});
