/** Retention of artifacts, with real files and a real database. */
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, inject, test } from "vitest";
import type { Claimed } from "@kernelbot/core";
import { startPeriodicJobs } from "../jobs/periodic.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { claimed, submitted } from "@kernelbot/testing/fixtures.ts";
import { listArtifacts, putArtifact } from "./artifacts.ts";
import { openDirectoryStore } from "./directory.ts";
import { deleteOldArtifacts } from "./retention.ts";
import type { ObjectStore } from "./store.ts";

useScene();

const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
let store: ObjectStore;
beforeEach(async () => {
  folder = mkdtempSync(join(inject("scratch"), "kept-"));
  store = await openDirectoryStore(folder);
});

async function profile(): Promise<Claimed> {
  await submitted(database, ann, { mode: "profile" });
  return claimed(database, box);
}

function put(run: Claimed, name: string, text: string) {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  const { runId, attempt } = run;
  return putArtifact(database, store, box, { runId, attempt, name, mediaType: "text/plain", bytes });
}

/** Makes the artifacts of a run older by some days. */
async function age(run: Claimed, days: number): Promise<void> {
  await database.sql`
    update artifact set created_at = created_at - ${days}::integer * interval '1 day' where run_id = ${run.runId}`;
}

const objects = (): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
const deleted = async (run: Claimed): Promise<boolean[]> =>
  (await listArtifacts(database, run.runId, run.attempt)).map(({ deletedAt }) => deletedAt !== null);

test("deletes a file after its retention period, and remembers that it existed", async () => {
  const [old, young] = [await profile(), await profile()];
  await put(old, "a.txt", "old");
  await put(young, "a.txt", "young");
  await age(old, 30);
  await age(young, 29);
  expect(await deleteOldArtifacts(database, store, 30 * DAY_MS)).toBe(1);
  expect([await deleted(old), await deleted(young), objects()]).toEqual([[true], [false], 1]);
  expect(await deleteOldArtifacts(database, store, 30 * DAY_MS)).toBe(0);
});

test("keeps bytes that a newer file shares until that one expires too", async () => {
  const [old, young] = [await profile(), await profile()];
  await put(old, "a.txt", "same");
  const { sha256 } = await put(young, "b.txt", "same");
  await age(old, 31);
  expect(await deleteOldArtifacts(database, store, 30 * DAY_MS)).toBe(1);
  expect([await deleted(old), await deleted(young), await store.size(sha256)]).toEqual([[true], [false], 4]);
  await age(young, 31);
  await deleteOldArtifacts(database, store, 30 * DAY_MS);
  expect(await store.size(sha256)).toBe(null);
});

test("a deleted file can be uploaded again", async () => {
  const [old, young] = [await profile(), await profile()];
  await put(old, "a.txt", "same");
  await age(old, 31);
  await deleteOldArtifacts(database, store, 30 * DAY_MS);
  const { sha256 } = await put(young, "a.txt", "same");
  expect([await deleted(old), await deleted(young), await store.size(sha256)]).toEqual([[true], [false], 4]);
});

test("an upload concurrent with the deletion of its bytes is requested again, so that no file loses its bytes", async () => {
  const run = await profile();
  const hasty: ObjectStore = {
    ...store,
    async put(bytes, maxBytes) {
      const stored = await store.put(bytes, maxBytes);
      await store.delete(stored.sha256);
      return stored;
    },
  };
  const { runId, attempt } = run;
  const bytes = (async function* () {
    yield Buffer.from("same");
  })();
  const upload = { runId, attempt, name: "a.txt", mediaType: "text/plain", bytes } as const;
  await expect(putArtifact(database, hasty, box, upload)).rejects.toMatchObject({ code: "unavailable" });
  expect(await deleted(run)).toEqual([]);
});

test("keeps no bytes of replaced or rejected files", async () => {
  const run = await profile();
  await put(run, "a.txt", "before");
  await put(run, "a.txt", "after");
  expect(objects()).toBe(1);
  await expect(put({ ...run, attempt: 2 }, "b.txt", "refused")).rejects.toMatchObject({ code: "stale_attempt" });
  for (let number = 1; number < 64; number += 1) await put(run, `${number}.txt`, "after");
  await expect(put(run, "one-more.txt", "one more")).rejects.toMatchObject({ code: "unprocessable" });
  expect(objects()).toBe(1);
});

test("the jobs delete by themselves", async () => {
  const run = await profile();
  await put(run, "a.txt", "old");
  await age(run, 31);
  const done = Promise.withResolvers<number>();
  const jobs = startPeriodicJobs(database, [
    {
      name: "delete",
      everyMs: DAY_MS,
      run: async () => done.resolve(await deleteOldArtifacts(database, store, 30 * DAY_MS)),
    },
  ]);
  expect(await done.promise).toBe(1);
  await jobs.stop();
  expect(objects()).toBe(0);
});
