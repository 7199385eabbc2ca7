import { sql } from "kysely";
import { expect, test } from "vitest";
import { EvaluationRequest, type JudgeEvent } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { createEvaluation } from "../evaluations/create.ts";
import { cancelEvaluation } from "../evaluations/end.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "../evaluations/limits.ts";
import { syncProblems } from "../problems/sync.ts";
import { cancelSubmission } from "../submissions/cancel.ts";
import { setServerLimits } from "../submissions/raised-limits.ts";
import { listSubmissions } from "../submissions/views.ts";
import {
  applicationProblemFiles,
  claimed,
  inApplication,
  passing,
  person,
  problemTree,
  ranked,
  reported,
  rounds,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { checkBoardInUse, checkFirstInUse } from "./check-in-use.ts";
import { confirmTop } from "./rerun.ts";

useScene();

const FAILS = { state: "not_validated", held: 1, reason: "case 2: unstable" } as const;
const ALL = { board: "used", target: "cpu", top: null, again: false };

/** Syncs a problem whose application has these settings. */
function sync(settings = "") {
  const files = applicationProblemFiles((task) => task.replace("application:\n", `application:\n${settings}`));
  return syncProblems(database, problemTree({ "set/used": files }));
}

/** Enters a kernel whose source is its name on the board. */
function enter(source: string, timeNs: number, who = ann): Promise<number> {
  return ranked(database, who, box, timeNs, { board: "used", source });
}

/** Claims the next run, which must run this source in the application, and reports the events. */
async function judged(source: string, events: JudgeEvent[]): Promise<void> {
  const run = await claimed(database, box);
  expect(run).toMatchObject({ mode: "application", source });
  await reported(database, box, run, events);
}

async function rows() {
  return (await readBoard(database, ann, "used", "cpu")).rows;
}

async function closeBoard(): Promise<void> {
  await database.db.updateTable("problem").set({ closed_at: new Date() }).where("name", "=", "used").execute();
}

test("the kernels of the first entries run once, behind everything else, and the board shows the result", async () => {
  await sync("  check_first: 2\n");
  await enter("slow", 300);
  await enter("fast", 100, bob);
  await enter("last", 500, root);
  expect(await checkFirstInUse(database)).toHaveLength(2);
  expect(await checkFirstInUse(database)).toEqual([]);
  await submitted(database, bob, { source: "first in the queue" });
  expect(await claimed(database, box)).toMatchObject({ mode: "test" });
  // Accounts take turns, so which of them is first depends on what they ran before.
  for (const run of [await claimed(database, box), await claimed(database, box)]) {
    expect(run.mode).toBe("application");
    await reported(database, box, run, inApplication(run.source === "slow" ? FAILS : undefined));
  }
  expect(await checkFirstInUse(database)).toEqual([]);
  expect(await rows()).toMatchObject([
    { inUse: { state: "validated", held: 2, cases: 2, speedup: { value: 1.5 } } },
    { inUse: { state: "not_validated", held: 1, cases: 2 } },
    { inUse: null },
  ]);
  expect((await listSubmissions(database, bob, { limit: 10 })).map(({ mode }) => mode)).toEqual(["test", "ranked"]);
});

test("a source that two accounts submitted runs once", async () => {
  await sync();
  await enter("same", 100);
  await enter("same", 110, bob);
  expect(await checkFirstInUse(database)).toHaveLength(1);
  await judged("same", inApplication());
  expect((await rows()).map(({ inUse }) => inUse?.state)).toEqual(["validated", "validated"]);
});

test("servers that schedule at the same time queue a run once", async () => {
  await sync();
  await enter("one", 100);
  const made = await Promise.all([checkFirstInUse(database), checkFirstInUse(database)]);
  expect(made.flat()).toHaveLength(1);
});

test("a run that the platform fails to judge is repeated after an hour, then after twice as long, at most a day", async () => {
  await sync();
  await enter("one", 100);
  const failedAgo = (minutes: number) =>
    database.db
      .updateTable("run")
      .set({
        state: "done",
        verdict: "infra_error",
        lease_until: null,
        finished_at: new Date(Date.now() - minutes * 60_000),
      })
      .where("mode", "=", "application")
      .execute();
  for (const minutes of [60, 120, 240, 480, 960, 1440, 1440]) {
    expect(await checkFirstInUse(database)).toHaveLength(1);
    await claimed(database, box);
    await failedAgo(minutes - 1);
    expect([minutes, await checkFirstInUse(database)]).toEqual([minutes, []]);
    await failedAgo(minutes + 1);
  }
});

test("a board has two of these runs in the queue at most, and none once the time of the day is used up", async () => {
  await sync("  seconds_per_day: 60\n");
  for (const [index, who] of [ann, bob, root].entries()) await enter(`kernel ${index}`, 100 + 100 * index, who);
  expect(await checkFirstInUse(database)).toHaveLength(2);
  await reported(database, box, await claimed(database, box), inApplication());
  await database.db
    .updateTable("run")
    .set({ started_at: new Date(Date.now() - 61_000) })
    .where("mode", "=", "application")
    .where("state", "=", "done")
    .execute();
  expect(await checkFirstInUse(database)).toEqual([]);
});

test("after the end, entries that are known to fail do not count among the first", async () => {
  await sync("  check_first: 1\n");
  await enter("fast", 100);
  await enter("slow", 300, bob);
  await checkFirstInUse(database);
  await judged("fast", inApplication(FAILS));
  expect(await checkFirstInUse(database)).toEqual([]);
  await closeBoard();
  expect(await checkFirstInUse(database)).toHaveLength(1);
  await judged("slow", inApplication());
  expect(await checkFirstInUse(database)).toEqual([]);
});

test("the first entries of a board that ranks by SOL score are those with the highest score", async () => {
  const files = applicationProblemFiles((task) =>
    task
      .replace("application:\n", "application:\n  check_first: 1\n")
      .replace(/ranking_by: .*/, "ranking_by: sol_score")
      .replace(/targets: .*/, "targets: { cpu: { speed_of_light_us: [0.2, 0.2] } }"),
  );
  await syncProblems(database, problemTree({ "set/used": files }));
  for (const [source, who, timesNs] of [
    ["less time", ann, [2000, 2000]],
    ["higher score", bob, [800, 5200]],
  ] as const) {
    await submitted(database, who, { mode: "ranked", board: "used", source });
    const events = passing("ranked", timesNs).map((event) =>
      event.type === "case_finished" && event.stage === "ranked"
        ? { ...event, outputBytes: 0, rounds: rounds(timesNs[event.index] ?? 0, 1000) }
        : event,
    );
    await reported(database, box, await claimed(database, box), events);
  }
  expect(await checkFirstInUse(database)).toHaveLength(1);
  await judged("higher score", inApplication());
});

test("organisers run the kernels of all entries, and discard results on request", async () => {
  await sync("  check_first: 0\n");
  await enter("fast", 100);
  await enter("slow", 300, bob);
  expect(await checkFirstInUse(database)).toEqual([]);
  expect(await checkBoardInUse(database, root, { ...ALL, top: 1 })).toHaveLength(1);
  await judged("fast", inApplication(FAILS));
  expect(await checkBoardInUse(database, root, ALL)).toHaveLength(1);
  await judged("slow", inApplication());
  expect(await checkBoardInUse(database, root, ALL)).toEqual([]);
  expect(await checkBoardInUse(database, root, { ...ALL, top: 1, again: true })).toHaveLength(1);
  await judged("fast", inApplication());
  expect((await rows()).map(({ inUse }) => inUse?.state)).toEqual(["validated", "validated"]);
  await expect(checkBoardInUse(database, ann, ALL)).rejects.toMatchObject({ code: "forbidden" });
  await expect(checkBoardInUse(database, root, { ...ALL, board: "double" })).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(checkBoardInUse(database, root, { ...ALL, target: "T4" })).rejects.toMatchObject({ code: "not_found" });
});

test("with gate required an entry is confirmed only while its kernel is validated, and is re-run once for that", async () => {
  await sync("  gate: required\n");
  await enter("fast", 100);
  await confirmTop(database, 1);
  await reported(database, box, await claimed(database, box), passing("ranked", [105, 105]));
  expect(await rows()).toMatchObject([
    { verification: "provisional", timeNs: { value: 105 }, enteredBy: { timeNs: { value: 100 } } },
  ]);
  expect(await confirmTop(database, 1)).toEqual([]);
  await checkFirstInUse(database);
  await judged("fast", inApplication());
  expect(await rows()).toMatchObject([{ verification: "confirmed", enteredBy: { timeNs: { value: 100 } } }]);
  await checkBoardInUse(database, root, { ...ALL, again: true });
  expect(await rows()).toMatchObject([{ verification: "provisional" }]);
});

test("with gate required a change of the application makes confirmed entries provisional", async () => {
  await sync("  gate: required\n");
  await enter("fast", 100);
  await confirmTop(database, 1);
  await reported(database, box, await claimed(database, box), passing("ranked", [105, 105]));
  await checkFirstInUse(database);
  await judged("fast", inApplication());
  expect(await rows()).toMatchObject([{ verification: "confirmed", inUse: { state: "validated" } }]);
  await sync("  gate: required\n  rtol: 0.1\n");
  expect(await rows()).toMatchObject([{ verification: "provisional", inUse: null }]);
});

test("with gate required an account cannot postpone the check of its entry", async () => {
  await sync("  gate: required\n");
  await ranked(database, ann, box, 100, { board: "used", source: "one", fileName: "submission.py" });
  // Runs of the same source, which the account can cancel, do not stand for the check.
  await submitted(database, ann, { board: "used", mode: "application", source: "one" });
  const [check] = await checkFirstInUse(database);
  expect(await checkFirstInUse(database)).toEqual([]);
  const [row] = await database.sql`select submission_id from run where id = ${check ?? 0}`;
  await expect(cancelSubmission(database, ann, Number(row?.["submission_id"]))).rejects.toMatchObject({
    code: "not_found",
  });
  // Neither do its own evaluations, of any priority, precede it for long.
  for (const priority of ["interactive", "training", "backfill"]) {
    for (let n = 0; n < 40; n += 1) {
      const request = { problem: "used", target: "cpu", code: `${priority} ${n}`, level: "test", priority };
      await createEvaluation(database, ann, EvaluationRequest.parse(request), { limits });
    }
  }
  expect(await claimed(database, box)).toMatchObject({ mode: "application" });
  expect(await claimed(database, box)).toMatchObject({ mode: "application", runId: check });
});

test("the check of an entry counts against no limit of its account", async () => {
  await sync("  gate: required\n");
  await setServerLimits(database, { applicationPerHour: 1, applicationConcurrent: 1 });
  await enter("one", 100);
  expect(await checkFirstInUse(database)).toHaveLength(1);
  const { rows } = await sql<{ used: number }>`
    select used from allowances(${ann.account.id}, 'used', 'application', clock_timestamp())`.execute(database.db);
  expect(rows).toEqual([{ used: 0 }, { used: 0 }]);
});

test("with gate none the board has no results", async () => {
  await sync("  gate: none\n");
  await enter("fast", 100);
  await checkFirstInUse(database);
  await judged("fast", inApplication());
  expect(await readBoard(database, ann, "used", "cpu")).toMatchObject({
    applicationGate: "none",
    rows: [{ inUse: null }],
  });
});

test("an account does not cancel these runs by an evaluation of the same source", async () => {
  await sync();
  await ranked(database, ann, box, 100, { board: "used", source: "one", fileName: "submission.py" });
  expect(await checkFirstInUse(database)).toHaveLength(1);
  const request = { problem: "used", target: "cpu", code: "one", level: "application", priority: "backfill" };
  const evaluation = await createEvaluation(database, ann, EvaluationRequest.parse(request), { limits });
  await cancelEvaluation(database, ann, evaluation);
  await judged("one", inApplication(FAILS));
  expect(await rows()).toMatchObject([{ inUse: { state: "not_validated" } }]);
});

test("the kernels of banned accounts do not run", async () => {
  await sync();
  const carl = await person(database, "carl");
  await enter("banned", 100, carl);
  await database.db
    .updateTable("account")
    .set({ banned_at: new Date(), ban_reason: "x" })
    .where("id", "=", carl.account.id)
    .execute();
  expect(await checkFirstInUse(database)).toEqual([]);
});
