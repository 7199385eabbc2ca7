/** Scheduled backups in a fake S3 service and on a disk, and tests of their restore. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startFakeS3, type FakeS3 } from "@kernelbot/testing/fake-s3.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { claimed, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { temporaryDataDir } from "../../../../../scripts/processes.ts";
import { putArtifact } from "../../artifacts/artifacts.ts";
import { openDirectoryStore } from "../../artifacts/directory.ts";
import type { ObjectStore } from "../../artifacts/store.ts";
import { openDatabase, openPlace } from "../../db/database.ts";
import { onDisk, openBackupFolder, type BackupFolder } from "./folder.ts";
import { readOutcomes } from "./outcomes.ts";
import { restore } from "./restore.ts";
import { backUpWhenDue, scheduledTime, testRestoreWhenDue, type BackupSchedule } from "./schedule.ts";

useScene();

const HOUR_MS = 3_600_000;

let s3: FakeS3;
let bucket: BackupFolder;
let scratch: string;
let store: ObjectStore;
beforeAll(async () => {
  s3 = await startFakeS3();
  bucket = openBackupFolder("s3://kernels/backups", s3.env, "--backup-to");
});
afterAll(() => s3[Symbol.asyncDispose]());
afterEach(() => rmSync(scratch, { recursive: true, force: true }));
beforeEach(async () => {
  s3.objects.clear();
  s3.trouble = () => undefined;
  scratch = temporaryDataDir();
  store = await openDirectoryStore(join(scratch, "artifacts"));
});

function scheduled(changes: Partial<BackupSchedule> = {}): BackupSchedule {
  const defaults = { folder: bucket, everyHours: 24, atMinutes: 0, keep: 2, testEveryDays: 7 };
  return { ...defaults, store, dataDir: scratch, ...changes };
}

/** Returns the time after a number of days, at noon. */
const day = (number: number): Date => new Date(Date.now() + number * 24 * HOUR_MS);

/** Backs up at noon of each day; the newest time in a backup is that of the database. */
async function backUpDaily(schedule: BackupSchedule, days: number): Promise<void> {
  for (let at = 1; at <= days; at += 1) {
    await backUpWhenDue(database, schedule, day(at));
    await database.sql`update backup set taken_at = ${day(at)} where id = (select max(id) from backup)`;
  }
}

test("a backup in a bucket restores accounts, objects and snapshots, and one of two servers makes it", async () => {
  await submitted(database, ann, { mode: "profile" });
  const { runId, attempt } = await claimed(database, box);
  const bytes = new Blob(["abc"]).stream();
  const { sha256 } = await putArtifact(database, store, box, {
    runId,
    attempt,
    name: "a.txt",
    mediaType: "text/plain",
    bytes,
  });
  await Promise.all([1, 2].map(() => backUpWhenDue(database, scheduled(), new Date())));
  const folders = await bucket.folders();
  expect(folders).toHaveLength(1);
  expect((await readOutcomes(database)).address).toBe(`s3://kernels/backups/${folders[0]}`);

  const url = await emptyDatabase();
  const { connection } = await openPlace({ url });
  const artifacts = await openDirectoryStore(join(scratch, "restored"));
  const [folder, datasets] = [bucket.folder(folders[0] ?? ""), join(scratch, "datasets")];
  await restore({ folder, connection, store: artifacts, datasets, log: () => undefined });
  const restored = await openDatabase({ url });
  expect(await restored.sql`select from account where name = 'ann'`).toHaveLength(1);
  await restored.close();
  expect(await artifacts.size(sha256)).toBe(3);
});

test("keeps the newest backups, other folders, and deletes unfinished ones", async () => {
  s3.objects.set("backups/mine/manifest.json", Buffer.from("{}"));
  s3.objects.set("backups/2020-01-01T00-00-00Z/tables/account.gz", Buffer.from(""));
  await backUpDaily(scheduled(), 3);
  const folders = await bucket.folders();
  expect(folders.map((name) => name.slice(0, 10))).toEqual(
    [2, 3].map((at) => day(at).toISOString().slice(0, 10)).concat("mine"),
  );
});

test("a failed backup leaves nothing, is recorded with its cause, and is tried again after an hour", async () => {
  s3.trouble = (request) => (/^PUT.*manifest.json$/.test(request) ? { status: 403, code: "AccessDenied" } : undefined);
  const schedule = scheduled();
  const now = new Date();
  await expect(backUpWhenDue(database, schedule, now)).rejects.toThrow("rejected the request");
  expect([...s3.objects.keys()]).toEqual([]);
  expect(await readOutcomes(database)).toMatchObject({
    takenAt: null,
    backupError: expect.stringContaining("AccessDenied") as string,
  });
  s3.trouble = () => undefined;
  await backUpWhenDue(database, schedule, now);
  expect(s3.objects.size).toBe(0);
  await backUpWhenDue(database, schedule, new Date(now.getTime() + HOUR_MS + 60_000));
  expect(await readOutcomes(database)).toMatchObject({ takenAt: expect.any(String) as string, backupError: null });
});

test("a backup whose connection ends before the folder takes a table fails with the cause", async () => {
  const folder = onDisk(join(scratch, "backups"));
  const connections = () => database.sql<{ ended: boolean }>`select pg_terminate_backend(pid, 60_000) as ended
    from pg_stat_activity where application_name = 'kernelbot backup' and datname = current_database()`;
  const slow = (one: BackupFolder): BackupFolder => ({
    ...one,
    folder: (name) => slow(one.folder(name)),
    async write(path, bytes) {
      const rows = bytes as Readable;
      const ended = await connections();
      if (ended.length === 0 && !rows.closed) await new Promise((resolve) => rows.on("close", resolve));
      await one.write(path, bytes);
    },
  });
  const backup = backUpWhenDue(database, scheduled({ folder: slow(folder) }), day(1));
  await expect(backup).rejects.toThrow(/connection/);
});

test("a backup that a stop interrupts leaves nothing, is not a failure, and is made at the next start", async () => {
  const stopped = new AbortController();
  s3.trouble = (request) => void (request.endsWith("tables/problem.gz") && stopped.abort());
  await expect(backUpWhenDue(database, scheduled(), new Date(), stopped.signal)).rejects.toThrow("aborted");
  expect(s3.objects.size).toBe(0);
  expect(await readOutcomes(database)).toMatchObject({ takenAt: null, backupError: null });
  await backUpWhenDue(database, scheduled(), new Date());
  expect((await readOutcomes(database)).takenAt).not.toBeNull();
});

test("a restore test compares the newest backup, and reports rows and files that differ", async () => {
  const folder = onDisk(join(scratch, "backups"));
  const schedule = scheduled({ folder });
  const test = (at: Date) => testRestoreWhenDue(database, schedule, at);
  await test(new Date());
  expect(await readOutcomes(database)).toMatchObject({ testedAt: null, testError: null });

  await backUpWhenDue(database, schedule, new Date());
  await test(new Date());
  const { testedAt } = await readOutcomes(database);
  expect(testedAt).not.toBeNull();
  expect(readdirSync(scratch).filter((name) => name.startsWith("restore-test-"))).toEqual([]);

  // Not due again before the interval is over.
  const [name = ""] = await folder.folders();
  const table = join(scratch, "backups", name, "tables/account.gz");
  const rows = gunzipSync(readFileSync(table)).toString();
  writeFileSync(table, gzipSync(rows.replace("ann", "zed")));
  await test(new Date());
  expect((await readOutcomes(database)).testError).toBeNull();
  await expect(test(day(8))).rejects.toThrow(
    /tables\/account\.gz does not match its hash: it has the \d+ rows that were backed up, but values in them differ/,
  );
  expect((await readOutcomes(database)).testError).toContain("does not match its hash");
});

test("backups are due at the time of day and every interval after it", () => {
  const at = (now: string, everyHours: number, atMinutes: number) =>
    scheduledTime(scheduled({ everyHours, atMinutes }), new Date(now)).toISOString();
  expect(at("2026-11-26T02:59:00Z", 24, 180)).toBe("2026-11-25T03:00:00.000Z");
  expect(at("2026-11-26T03:00:00Z", 24, 180)).toBe("2026-11-26T03:00:00.000Z");
  expect(at("2026-11-26T14:59:00Z", 6, 180)).toBe("2026-11-26T09:00:00.000Z");
});
