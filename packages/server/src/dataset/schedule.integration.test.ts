import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, inject, test } from "vitest";
import { licenseSubmission } from "../submissions/licence.ts";
import { ban, unban } from "../moderation/ban.ts";
import { removeAny, restore } from "../moderation/remove.ts";
import { rename } from "../auth/accounts.ts";
import { made, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { buildSnapshot } from "./build-snapshot.ts";
import { buildSnapshots } from "./build.ts";
import { requestPublication } from "./publish/publications.ts";
import { deleteOldSnapshots } from "./retention.ts";
import { scheduleSnapshots, type Schedule } from "./schedule.ts";
import { snapshotFile } from "./snapshots.ts";

useScene();
useOrganiser();

const HOUR_MS = 3_600_000;
const HOURLY: Schedule = { everyMs: HOUR_MS, destinations: [] };

let directory: string;
let hours: number;
let anns: number;
beforeEach(async () => {
  directory = mkdtempSync(join(inject("scratch"), "datasets-"));
  hours = 0;
  await made({ problems: ["double"] });
  anns = await ranked(database, ann, box, 100, { licence: "MIT" });
  await ranked(database, bob, box, 200, { licence: "MIT", source: "b = 1\n" });
});

async function ended(): Promise<void> {
  await database.sql`update competition set ends_at = now() where ends_at > now()`;
}

/**
 * Advances the clock by one hour, runs the schedule and makes the requested snapshot.
 * @returns the number of snapshots.
 */
async function anHourLater(schedule = HOURLY): Promise<number> {
  hours += 1;
  await scheduleSnapshots(database, schedule, new Date(Date.now() + hours * HOUR_MS));
  await buildSnapshots(database, directory, { build: buildSnapshot });
  await database.sql`update dataset_snapshot set created_at = ${new Date(Date.now() + hours * HOUR_MS)}
    where created_at < now() + interval '30 minutes'`;
  return (await database.sql`select from dataset_snapshot where state = 'ready'`).length;
}

test("the schedule requests a snapshot of ended competitions after changes, and not too often", async () => {
  expect(await anHourLater()).toBe(0);
  await ended();
  expect(await anHourLater()).toBe(1);
  expect(await anHourLater()).toBe(1);
  await removeAny(database, root, anns, { reason: "copied" });
  expect(await anHourLater({ everyMs: 5 * HOUR_MS, destinations: [] })).toBe(1);
  expect(await anHourLater()).toBe(2);
});

test("the schedule waits until all runs have finished", async () => {
  await submitted(database, bob, { licence: "MIT", mode: "ranked", source: "c = 1\n" });
  await ended();
  expect(await anHourLater()).toBe(0);
  await reported(database, box, await claimed(database, box), passing("ranked"));
  expect(await anHourLater()).toBe(1);
});

test("every change of the rows changes the fingerprint, and undoing it restores the fingerprint", async () => {
  const fingerprint = () => database.db.transaction().execute((transaction) => fingerprintOf(transaction, ["spring"]));
  const licensed = await fingerprint();
  await licenseSubmission(database, ann, anns, { licence: null });
  const withheld = await fingerprint();
  await licenseSubmission(database, ann, anns, { licence: "CC0-1.0" });
  const changed = await fingerprint();
  await licenseSubmission(database, ann, anns, { licence: "MIT" });
  expect(new Set([licensed, withheld, changed]).size).toBe(3);
  expect(await fingerprint()).toBe(licensed);
  const grounds = { reason: "an error" };
  const acts: [done: () => Promise<unknown>, undone: () => Promise<unknown>][] = [
    [() => removeAny(database, root, anns, grounds), () => restore(database, root, anns, grounds)],
    [
      () => ban(database, root, { account: "bob", ...grounds }),
      () => unban(database, root, { account: "bob", ...grounds }),
    ],
    [() => rename(database, ann, "Ann the second"), () => rename(database, ann, "ann")],
    [() => anonymous(true), () => anonymous(false)],
    [inUse, () => database.sql`delete from application_result`],
  ];
  for (const [done, undone] of acts) {
    await done();
    expect(await fingerprint()).not.toBe(licensed);
    await undone();
    expect(await fingerprint()).toBe(licensed);
  }

  function inUse(): Promise<unknown> {
    return database.sql`insert into application_result (code_hash, language, problem_version, target, validation, is_validated, unsandboxed)
      select s.code_hash, language_of(s.file_name), s.problem_version, 'cpu', '{}', true, false from submission s where s.id = ${anns}`;
  }

  function anonymous(whether: boolean): Promise<unknown> {
    return database.sql`update account set anonymous = ${whether} where name = 'bob'`;
  }
});

test("only the newest scheduled snapshot is published to the configured destinations, once", async () => {
  await ended();
  const schedule: Schedule = { everyMs: HOUR_MS, destinations: ["hugging_face"] };
  await anHourLater(schedule);
  await anHourLater(schedule);
  const publications = () =>
    database.sql`select snapshot_id as id, destination, state from dataset_publication order by 1`;
  expect(await publications()).toEqual([{ id: 1, destination: "hugging_face", state: "waiting" }]);
  await database.sql`update dataset_publication set state = 'failed', due_at = null, message = 'no token'`;
  await anHourLater(schedule);
  expect(await publications()).toEqual([{ id: 1, destination: "hugging_face", state: "failed" }]);
});

test("files of old snapshots are deleted, except those waiting for publication", async () => {
  await ended();
  await anHourLater();
  await requestPublication(database, root, 1, "object_store");
  for (const name of ["Ann II", "Ann III"]) {
    await rename(database, ann, name);
    await anHourLater();
  }
  await deleteOldSnapshots(database, directory, 1);
  const files = [1, 2, 3].map((id) => existsSync(join(directory, String(id), "README.md")));
  expect(files).toEqual([true, false, true]);
  await expect(snapshotFile(database, undefined, directory, 2, "README.md")).rejects.toMatchObject({ status: 410 });
  expect(await snapshotFile(database, undefined, directory, "latest", "skills.md")).toMatchObject({
    file: { path: "skills.md" },
  });
});
