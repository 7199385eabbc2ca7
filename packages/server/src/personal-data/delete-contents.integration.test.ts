import { expect, test } from "vitest";
import { EvaluationRequest } from "@kernelbot/core";
import { claimed, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { createEvaluation } from "../evaluations/create.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "../evaluations/limits.ts";
import { sourceRefusal } from "../submissions/source-access.ts";
import { readRun, readSource, readSubmission } from "../submissions/views.ts";
import { deleteOldContents } from "./delete-contents.ts";

useScene();

const DAY_MS = 86_400_000;

/** Makes all submissions older by some days. */
async function age(days: number): Promise<void> {
  await database.sql`update submission set created_at = created_at - ${days}::integer * interval '1 day'`;
}

function deleteOlderThan(days: number): Promise<number> {
  return deleteOldContents(database, new Date(Date.now() - days * DAY_MS));
}

test("after the retention time, tests lose source and output, and keep their result", async () => {
  const id = await submitted(database, ann, { mode: "test", source: "x = 1\n" });
  await reported(database, box, await claimed(database, box), passing("test"));
  await age(30);
  const young = await submitted(database, ann, { mode: "test", source: "x = 2\n" });
  await reported(database, box, await claimed(database, box), passing("test"));
  expect(await deleteOlderThan(31)).toBe(0);
  expect(await deleteOlderThan(30)).toBe(1);
  expect([await readSource(database, id), await readSource(database, young)]).toEqual([null, "x = 2\n"]);
  const submission = await readSubmission(database, id);
  expect(submission).toMatchObject({ fileName: "kernel.py", runs: [{ verdict: "passed" }] });
  expect(submission?.contentsDeletedAt).toBeDefined();
  expect(await readRun(database, submission?.runs[0]?.id ?? 0)).toMatchObject({ stages: [], detail: null });
  expect(await sourceRefusal(database, ann, id)).toMatchObject({ code: "gone" });
  expect(await deleteOlderThan(30)).toBe(0);
});

test("ranked, licensed, unfinished and evaluated submissions are kept", async () => {
  await ranked(database, ann, box, 100);
  await submitted(database, ann, { licence: "CC-BY-4.0" });
  await reported(database, box, await claimed(database, box), passing("test"));
  const evaluation = EvaluationRequest.parse({ problem: "double", target: "cpu", code: "x = 3\n", level: "test" });
  await createEvaluation(database, ann, evaluation, { limits });
  await reported(database, box, await claimed(database, box), passing("test"));
  await submitted(database, ann);
  await age(400);
  expect(await deleteOlderThan(30)).toBe(0);
});
