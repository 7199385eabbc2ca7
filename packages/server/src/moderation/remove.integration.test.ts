import { expect, test } from "vitest";
import { readBoard } from "../boards/boards.ts";
import { STRANGER } from "../auth/visibility.ts";
import { closeProblem } from "../problems/close.ts";
import { readReceipt } from "../runs/receipts.ts";
import { readEvents, readSource, readSubmission } from "../submissions/views.ts";
import { claimed, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { removeAny, removeOwn, restore } from "./remove.ts";

useScene();

/** Returns the submissions on the board, from fast to slow. */
async function entries(): Promise<number[]> {
  return (await readBoard(database, STRANGER, "double", "cpu")).rows.map((row) => row.submissionId);
}

test("an owner removes a submission, and the account's next best enters the board", async () => {
  const slow = await ranked(database, ann, box, 300);
  const fast = await ranked(database, ann, box, 100);
  const other = await ranked(database, bob, box, 200);
  await removeOwn(database, ann, fast);
  expect(await entries()).toEqual([other, slow]);
  expect((await readSubmission(database, fast))?.removed).toMatchObject({ by: "owner", reason: null });
});

test("a removed submission is not deleted, and still counts against limits", async () => {
  const id = await ranked(database, ann, box, 100);
  await removeOwn(database, ann, id);
  expect(await readSource(database, id)).toBe("pass\n");
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ verdict: "passed" });
  const counted =
    await database.sql`select count(*)::int as count from submission where account_id = ${ann.account.id}`;
  expect(counted[0]).toEqual({ count: 1 });
});

test("cancels a running run, and stores none of its runner's further reports", async () => {
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  await removeOwn(database, ann, id);
  expect(await reported(database, box, run, passing("ranked"))).toMatchObject({ cancelled: true });
  expect((await readEvents(database, id, 3, 9)).map(({ event }) => event)).toEqual([
    { type: "run_cancelled" },
    { type: "submission_finished" },
    { type: "submission_removed", by: "owner", reason: null },
  ]);
});

test("a moderator removes any submission with a reason, and restores it", async () => {
  const id = await ranked(database, ann, box, 100);
  const runId = (await readSubmission(database, id))?.runs[0]?.id as number;
  await removeAny(database, root, id, { reason: "a copy of 3" });
  expect(await entries()).toEqual([]);
  expect(await readReceipt(database, STRANGER, runId)).toBeNull();
  expect((await readSubmission(database, id))?.removed).toMatchObject({ by: "moderator", reason: "a copy of 3" });
  await restore(database, root, id, { reason: "it was not" });
  expect(await entries()).toEqual([id]);
  expect(await readReceipt(database, STRANGER, runId)).not.toBeNull();
  expect((await readSubmission(database, id))?.removed).toBeNull();
  const acts = await database.db.selectFrom("audit").select(["act", "subject", "detail"]).orderBy("id").execute();
  expect(acts).toEqual([
    { act: "remove", subject: `submission ${id}`, detail: { reason: "a copy of 3" } },
    { act: "restore", subject: `submission ${id}`, detail: { reason: "it was not" } },
  ]);
});

test("an owner cannot override a moderator's removal", async () => {
  const id = await ranked(database, ann, box, 100);
  await removeAny(database, root, id, { reason: "a copy of 3" });
  await removeOwn(database, ann, id);
  expect((await readSubmission(database, id))?.removed).toMatchObject({ by: "moderator" });
});

test("after closing, results cannot be removed except by moderators", async () => {
  const id = await ranked(database, ann, box, 100);
  await closeProblem(database, root, "double");
  await expect(removeOwn(database, ann, id)).rejects.toMatchObject({ code: "conflict" });
  await removeAny(database, root, id, { reason: "a copy of 3" });
  expect(await entries()).toEqual([]);
});

test("submissions of other accounts are not found, and only moderators can remove them", async () => {
  const id = await ranked(database, ann, box, 100);
  await expect(removeOwn(database, bob, id)).rejects.toMatchObject({ code: "not_found" });
  await expect(removeOwn(database, root, id)).rejects.toMatchObject({ code: "not_found" });
  await expect(removeAny(database, bob, id, { reason: "I want it" })).rejects.toMatchObject({ code: "forbidden" });
  await expect(restore(database, ann, id, { reason: "mine" })).rejects.toMatchObject({ code: "forbidden" });
  await expect(restore(database, root, id, { reason: "why not" })).rejects.toMatchObject({ code: "conflict" });
  expect(await entries()).toEqual([id]);
});
