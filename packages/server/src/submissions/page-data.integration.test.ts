import { expect, test } from "vitest";
import type { JudgeEvent } from "@kernelbot/core";
import { removeOwn } from "../moderation/remove.ts";
import { caseFinished, claimed, passing, ranked, report, submitted } from "@kernelbot/testing/fixtures.ts";
import { inHours, made, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { findLatestSubmission, listStageProgress, listSubmittedProblems, findSubmissionWindow } from "./page-data.ts";
import { readSubmission } from "./views.ts";

useScene();
useOrganiser();

test("a running stage reports its start and how many of its rounds and cases are done", async () => {
  const id = await submitted(database, ann, { mode: "benchmark" });
  const { runId, attempt } = await claimed(database, box);
  expect(await listStageProgress(database, id)).toEqual([]);
  const events: JudgeEvent[] = [
    ...passing("benchmark").slice(0, 2),
    { type: "stage_started", stage: "benchmark", cases: 2 },
  ];
  await report(database, box, runId, { attempt, from: 0, events });
  expect(await listStageProgress(database, id)).toMatchObject([{ runId, rounds: null, cases: { done: 0, total: 2 } }]);
  const more: JudgeEvent[] = [
    { type: "progress", stage: "benchmark", done: 3, total: 40 },
    caseFinished("benchmark", 0, [{ candidateNs: [1], referenceNs: [1] }]),
    { type: "progress", stage: "benchmark", done: 7, total: 40 },
  ];
  await report(database, box, runId, { attempt, from: events.length, events: more });
  const [progress] = await listStageProgress(database, id);
  expect(progress).toMatchObject({ rounds: { done: 7, total: 40 }, cases: { done: 1, total: 2 } });
  expect(Date.parse(progress?.since ?? "")).toBeLessThanOrEqual(Date.now());
});

test("the latest submission of an account has a verdict, is not removed, and shares a target", async () => {
  const first = await ranked(database, ann, box, 300);
  const removed = await ranked(database, ann, box, 200);
  await removeOwn(database, ann, removed);
  await ranked(database, bob, box, 100);
  await submitted(database, ann, { targets: ["H100"] });
  const id = await submitted(database, ann);
  const submission = await readSubmission(database, id);
  if (submission === null) throw new Error("it is gone");
  expect(await findLatestSubmission(database, ann.account.id, submission)).toEqual({ id: first, target: "cpu" });
  expect(await findLatestSubmission(database, ann.account.id, submission, first)).toBeNull();
});

test("a problem reports its competition and closing time", async () => {
  const endsAt = inHours(2);
  await made({ endsAt });
  expect(await findSubmissionWindow(database, "triple")).toEqual({
    competition: { name: "spring", title: "Spring kernels" },
    closesAt: endsAt,
  });
  expect(await findSubmissionWindow(database, "double")).toEqual({ competition: null, closesAt: null });
});

test("filters offer the problems and targets of the caller's own submissions", async () => {
  await submitted(database, ann, { board: "triple", targets: ["H100", "cpu"] });
  await submitted(database, ann);
  await submitted(database, bob, { targets: ["H100"] });
  expect(await listSubmittedProblems(database, ann)).toEqual({
    problems: ["double", "triple"],
    targets: ["cpu", "H100"],
  });
});
