/** Re-runs that are requested while the contents of their submission are deleted. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { claimed, passing, ranked, reported } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { personal } from "@kernelbot/testing/personal-data.ts";
import { rerunSubmission } from "../moderation/rerun.ts";
import { readSource, readSubmission } from "../submissions/views.ts";
import { deleteErasedContents } from "./delete-contents.ts";
import { eraseAccount } from "./erase.ts";

useScene();

const deleteContents = async () => deleteErasedContents(personal(database), await testSigner(database));

/** Waits until so many transactions wait for a lock. */
async function waits(number: number): Promise<void> {
  const waiting = () => database.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(waiting).toHaveLength(number);
}

/** Starts `first`, which stops at a table that is locked, then `second`; then unlocks the table and waits for both. */
async function interleave<First, Second>(
  table: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[PromiseSettledResult<First>, PromiseSettledResult<Second>]> {
  const started = await database.db.transaction().execute(async (transaction) => {
    await sql`lock table ${sql.table(table)} in exclusive mode`.execute(transaction);
    const one = first();
    await waits(1);
    const two = second();
    await waits(2);
    return { both: Promise.allSettled([one, two]) };
  });
  return started.both;
}

async function erasedSubmission(): Promise<number> {
  const id = await ranked(database, ann, box, 100);
  await eraseAccount(personal(database), root, "ann", { name: "ann", removeResults: false });
  return id;
}

test("a re-run that is stored while the deletion looks for unfinished runs is judged with its source, which is deleted afterwards", async () => {
  const id = await erasedSubmission();
  const [rerun, deleted] = await interleave("audit", () => rerunSubmission(database, root, id), deleteContents);
  expect([rerun.status, deleted]).toEqual(["fulfilled", { status: "fulfilled", value: 0 }]);
  expect(await readSource(database, id)).not.toBeNull();
  await reported(database, box, await claimed(database, box), passing("ranked"));
  expect(await deleteContents()).toBe(1);
  expect(await readSource(database, id)).toBeNull();
});

test("a re-run that is requested while the contents are deleted is refused", async () => {
  const id = await erasedSubmission();
  // The deletion does not lock runs without texts.
  await database.sql`update run set message = null, detail = null, review = null, validation = null`;
  const [deleted, rerun] = await interleave("transcript", deleteContents, () => rerunSubmission(database, root, id));
  expect(deleted).toEqual({ status: "fulfilled", value: 1 });
  expect(rerun).toMatchObject({ status: "rejected", reason: { code: "conflict" } });
  expect((await readSubmission(database, id))?.runs).toHaveLength(1);
});

test("a re-run locks the run before its submission, as all transactions do", async () => {
  const id = await ranked(database, ann, box, 100);
  const { rerun } = await database.db.transaction().execute(async (transaction) => {
    await sql`select from run where submission_id = ${id} for update`.execute(transaction);
    const rerun = rerunSubmission(database, root, id);
    await waits(1);
    await sql`select from submission where id = ${id} for update nowait`.execute(transaction);
    return { rerun };
  });
  expect(await rerun).toHaveLength(1);
});
