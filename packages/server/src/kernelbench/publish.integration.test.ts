import { beforeEach, expect, test } from "vitest";
import { readPerson } from "../people/profile.ts";
import { reachesSubmission, standingOf, STRANGER, type Viewer } from "../auth/visibility.ts";
import { removeAny } from "../moderation/remove.ts";
import { submittedTo } from "../submissions/page-data.ts";
import { sourceRefusal } from "../submissions/source-access.ts";
import { listSubmissions } from "../submissions/views.ts";
import { claimed, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { entered, judgeAll, kernelPassing, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { ann, bob, box, database, root } from "@kernelbot/testing/scene.ts";
import { readEntry, readEntryFile } from "./entries.ts";
import { stopEntry } from "./evaluate.ts";
import { publishEntry } from "./publish.ts";

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
    page: await reachesSubmission(database, standingOf(viewer), submissionId),
    source: (await sourceRefusal(database, viewer, submissionId)) === null,
  };
}

test("the kernels of a draft are their account's and moderators' alone; those of a published entry are public", async () => {
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

test("a kernel that a moderator removed is nobody's to read, in the file of its entry either", async () => {
  const { id, submissionId } = await judged();
  await publishEntry(database, ann, id);
  await removeAny(database, root, submissionId, { reason: "not his" });
  expect((await seenBy(STRANGER, submissionId)).source).toBe(false);
  const { kernels } = await readEntryFile(database, STRANGER, id);
  expect(Object.keys(kernels)).toEqual(["level_1_problem_2_sample_0", "level_2_problem_1_sample_0"]);
});

test("an entry is published once nothing of it is on its way", async () => {
  const { id } = await entered(database, ann);
  await expect(publishEntry(database, ann, id)).rejects.toThrow(
    `entry ${id} has kernels on their way (3): wait for them, or stop it`,
  );
  const run = await claimed(database, box);
  await stopEntry(database, ann, id);
  await expect(publishEntry(database, ann, id)).rejects.toThrow(`entry ${id} has kernels on their way (1)`);
  await reported(database, box, run, kernelPassing(500));
  const { publishedAt } = await publishEntry(database, ann, id);
  expect(publishedAt).not.toBeNull();
  expect((await publishEntry(database, ann, id)).publishedAt).toBe(publishedAt);
});

test("one's own entry one publishes, and another's only a moderator", async () => {
  const { id } = await judged();
  await expect(publishEntry(database, bob, id)).rejects.toMatchObject({ code: "not_found" });
  await publishEntry(database, ann, id);
  await expect(publishEntry(database, bob, id)).rejects.toMatchObject({ code: "forbidden" });
  expect((await publishEntry(database, root, id)).publishedAt).not.toBeNull();
});

test("kernels stay out of the lists of submissions, but are found by their board", async () => {
  const { submissionId } = await judged();
  const own = await submitted(database, ann);
  expect((await listSubmissions(database, ann, { limit: 50 })).map(({ id }) => id)).toEqual([own]);
  const [{ board } = { board: "" }] = await database.sql<{ board: string }>`
    select problem as board from submission where id = ${submissionId}`;
  expect((await listSubmissions(database, ann, { board, limit: 50 })).map(({ id }) => id)).toEqual([submissionId]);
  expect(await submittedTo(database, ann)).toEqual({ problems: ["double"], targets: ["cpu"] });
});

test("others know of a person who has published an entry, but its kernels are no activity", async () => {
  const { id } = await judged();
  await expect(readPerson(database, STRANGER, ann.account.id)).rejects.toMatchObject({ code: "not_found" });
  await publishEntry(database, ann, id);
  const weeksFor = async (viewer: Viewer) =>
    (await readPerson(database, viewer, ann.account.id)).weeks.at(-1)?.submissions;
  expect([await weeksFor(STRANGER), await weeksFor(ann)]).toEqual([0, 3]);
});

test("no webhook is told of the end of a kernel", async () => {
  await judged();
  expect(await database.sql`select from webhook_outbox where submission_id is not null`).toEqual([]);
  await reported(database, box, await submitted(database, ann).then(() => claimed(database, box)), kernelPassing(1));
  expect(await database.sql`select from webhook_outbox where submission_id is not null`).toHaveLength(1);
});
