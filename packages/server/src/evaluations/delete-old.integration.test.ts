import { mkdtempSync } from "node:fs";
import { inject, expect, test } from "vitest";
import { EvaluationRequest } from "@kernelbot/core";
import { claimed, passing, reported, request, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { openDirectoryStore } from "../artifacts/directory.ts";
import { createBatch, createEvaluation } from "./create.ts";
import { deleteOldEvaluations } from "./delete-old.ts";
import { cancelEvaluation } from "./end.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "./limits.ts";

useScene();

const HOUR_MS = 3_600_000;
/** Tables that have rows of an evaluation. */
const TABLES = [
  ...["evaluation", "evaluation_batch", "submission", "run", "event", "stage_result", "case_result", "code"],
  ...["evaluation_session", "evaluation_session_note"],
] as const;

function toEvaluate(code: string): EvaluationRequest {
  return EvaluationRequest.parse({ problem: "double", target: "cpu", code, level: "reward" });
}

async function counts(): Promise<Record<string, number>> {
  const rows = await Promise.all(
    TABLES.map(async (table) => {
      const { count } = await database.db
        .selectFrom(table)
        .select((build) => build.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return [table, count] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** Moves the ends of all evaluations into the past. */
async function age(hours: number): Promise<void> {
  await database.sql`update evaluation set ended_at = ended_at - ${hours} * interval '1 hour' where ended_at is not null`;
  await database.sql`update evaluation_batch set created_at = created_at - ${hours} * interval '1 hour'`;
}

async function deleteOld(): Promise<number> {
  const store = await openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
  return deleteOldEvaluations(database, store, 2 * HOUR_MS);
}

test("old evaluations leave no row of theirs behind, and nothing of submissions is deleted", async () => {
  const before = await counts();
  await createBatch(database, ann, [toEvaluate("x = 1\n"), toEvaluate("x = 2\n"), toEvaluate("x = 1\n")], { limits });
  for (const _ of [1, 2]) await reported(database, box, await claimed(database, box), passing("reward"));
  await age(1);
  expect(await deleteOld()).toBe(0);
  await age(2);
  expect(await deleteOld()).toBe(3);
  expect(await counts()).toEqual(before);

  const id = await submitted(database, ann, request({ source: "x = 3\n" }));
  await createEvaluation(database, ann, toEvaluate("x = 3\n"), { limits });
  for (const mode of ["test", "reward"] as const) {
    await reported(database, box, await claimed(database, box), passing(mode));
  }
  await age(3);
  expect(await deleteOld()).toBe(1);
  expect(await counts()).toMatchObject({ submission: 1, run: 1, code: 1, evaluation: 0 });
  expect(await database.db.selectFrom("submission").select("id").execute()).toEqual([{ id }]);
});

test("a result is kept as long as one of the evaluations that share it", async () => {
  await createEvaluation(database, ann, toEvaluate("x = 1\n"), { limits });
  await reported(database, box, await claimed(database, box), passing("reward"));
  await age(3);
  await createEvaluation(database, ann, toEvaluate("x = 1\n"), { limits });
  expect(await deleteOld()).toBe(1);
  expect(await counts()).toMatchObject({ evaluation: 1, submission: 1, run: 1, case_result: 4 });
});

test("an open evaluation is never deleted", async () => {
  await createEvaluation(database, ann, toEvaluate("x = 1\n"), { limits });
  await age(1000);
  expect(await deleteOld()).toBe(0);
});

test("the queue goes on after a cancelled evaluation that was an account's next run is deleted", async () => {
  const first = await createEvaluation(database, ann, toEvaluate("x = 1\n"), { limits });
  await createEvaluation(database, ann, toEvaluate("x = 2\n"), { limits });
  await cancelEvaluation(database, ann, first);
  await age(3);
  expect(await deleteOld()).toBe(1);
  expect((await claimed(database, box)).source).toBe("x = 2\n");
});
