import { beforeEach, expect, test } from "vitest";
import { readPerson } from "../people/profile.ts";
import { canSeeSubmission, visibilityKeyOf, STRANGER, type Viewer } from "../auth/visibility.ts";
import { removeAny } from "../moderation/remove.ts";
import { listSubmittedProblems } from "../submissions/page-data.ts";
import { sourceRefusal } from "../submissions/source-access.ts";
import { listSubmissions } from "../submissions/views.ts";
import { claimed, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { entered, judgeAll, kernelPassing, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readEntry, readEntryFile } from "./entries.ts";
import { stopEntry } from "./evaluate.ts";
import { publishEntry } from "./publish.ts";

useScene();

beforeEach(async () => {
  await withSuite(database, root);
});

async function judged(): Promise<{ id: number; submissionId: number }> {
  const { id } = await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  const { results } = await readEntry(database, ann, id);
  return { id, submissionId: results[0]?.submissionId ?? 0 };
}

/** Returns whether the viewer may see a submission, and its source. */
async function seenBy(viewer: Viewer, submissionId: number): Promise<{ page: boolean; source: boolean }> {
  return {
    page: await canSeeSubmission(database, visibilityKeyOf(viewer), submissionId),
    source: (await sourceRefusal(database, viewer, submissionId)) === null,
  };
}

test("kernels of a draft are visible only to the account and moderators; those of a published entry to all", async () => {
  const { id, submissionId } = await judged();
  for (const viewer of [ann, root]) {
    expect(await seenBy(viewer, submissionId)).toEqual({ page: true, source: true });
  }
  for (const viewer of [STRANGER, bob]) {
    expect(await seenBy(viewer, submissionId)).toEqual({ page: false, source: false });
  }
  await publishEntry(database, ann, id);
  for (const viewer of [STRANGER, bob]) {
    expect(await seenBy(viewer, submissionId)).toEqual({ page: true, source: true });
  }
});

test("a removed kernel cannot be read, nor downloaded in the entry's file", async () => {
  const { id, submissionId } = await judged();
  await publishEntry(database, ann, id);
  await removeAny(database, root, submissionId, { reason: "copied" });
  expect((await seenBy(STRANGER, submissionId)).source).toBe(false);
  const { kernels } = await readEntryFile(database, STRANGER, id);
  expect(Object.keys(kernels)).toEqual(["level_1_problem_2_sample_0", "level_2_problem_1_sample_0"]);
});

test("an entry can be published once all kernels are finished", async () => {
  const { id } = await entered(database, ann);
  await expect(publishEntry(database, ann, id)).rejects.toThrow(
    `entry ${id} has 3 unfinished kernels; wait for them or stop the entry`,
  );
  const run = await claimed(database, box);
  await stopEntry(database, ann, id);
  await expect(publishEntry(database, ann, id)).rejects.toThrow(`entry ${id} has 1 unfinished kernels`);
  await reported(database, box, run, kernelPassing(500));
  const { publishedAt } = await publishEntry(database, ann, id);
  expect(publishedAt).not.toBeNull();
  expect((await publishEntry(database, ann, id)).publishedAt).toBe(publishedAt);
});

test("only the owner or a moderator can publish an entry", async () => {
  const { id } = await judged();
  await expect(publishEntry(database, bob, id)).rejects.toMatchObject({ code: "not_found" });
  await publishEntry(database, ann, id);
  await expect(publishEntry(database, bob, id)).rejects.toMatchObject({ code: "forbidden" });
  expect((await publishEntry(database, root, id)).publishedAt).not.toBeNull();
});

test("kernels are not in lists of submissions, but can be found by board", async () => {
  const { submissionId } = await judged();
  const own = await submitted(database, ann);
  expect((await listSubmissions(database, ann, { limit: 50 })).map(({ id }) => id)).toEqual([own]);
  const [{ board } = { board: "" }] = await database.sql<{ board: string }>`
    select problem as board from submission where id = ${submissionId}`;
  expect((await listSubmissions(database, ann, { board, limit: 50 })).map(({ id }) => id)).toEqual([submissionId]);
  expect(await listSubmittedProblems(database, ann)).toEqual({ problems: ["double"], targets: ["cpu"] });
});

test("publishing an entry makes the account public, but its kernels are not activity", async () => {
  const { id } = await judged();
  await expect(readPerson(database, STRANGER, ann.account.id)).rejects.toMatchObject({ code: "not_found" });
  await publishEntry(database, ann, id);
  const weeksFor = async (viewer: Viewer) =>
    (await readPerson(database, viewer, ann.account.id)).weeks.at(-1)?.submissions;
  expect([await weeksFor(STRANGER), await weeksFor(ann)]).toEqual([0, 3]);
});

test("finished kernels are not delivered to webhooks", async () => {
  await judged();
  expect(await database.sql`select from webhook_outbox where submission_id is not null`).toEqual([]);
  await reported(database, box, await submitted(database, ann).then(() => claimed(database, box)), kernelPassing(1));
  expect(await database.sql`select from webhook_outbox where submission_id is not null`).toHaveLength(1);
});
