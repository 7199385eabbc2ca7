import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { licenseSubmission } from "../intake/licence.ts";
import { ban, unban } from "../moderation/ban.ts";
import { removeAny, restore } from "../moderation/remove.ts";
import { rename } from "../people/accounts.ts";
import { made } from "../testing/competitions.ts";
import { ranked } from "../testing/fixtures.ts";
import { ann, bob, box, database, root } from "../testing/scene.ts";
import { makeNext } from "./make.ts";
import { requestPublication } from "./publish/publications.ts";
import { deleteOldSnapshots } from "./retention.ts";
import { scheduleSnapshots, type Schedule } from "./schedule.ts";
import { snapshotFile } from "./snapshots.ts";

const HOUR_MS = 3_600_000;
const HOURLY: Schedule = { everyMs: HOUR_MS, places: [] };

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

/** An hour later the server looks, and makes what it then asks for. @returns how many snapshots there are. */
async function anHourLater(schedule = HOURLY): Promise<number> {
  hours += 1;
  await scheduleSnapshots(database, schedule, new Date(Date.now() + hours * HOUR_MS));
  await makeNext({ connection: database.connection, directory, source: null });
  await database.sql`update dataset_snapshot set created_at = ${new Date(Date.now() + hours * HOUR_MS)}
    where created_at < now() + interval '30 minutes'`;
  return (await database.sql`select from dataset_snapshot where state = 'ready'`).length;
}

describe("by itself the server makes a snapshot", () => {
  test("of public competitions that have ended, and again only when something has changed", async () => {
    expect(await anHourLater()).toBe(0);
    await ended();
    expect(await anHourLater()).toBe(1);
    expect(await anHourLater()).toBe(1);
    const changes: (() => Promise<unknown>)[] = [
      () => removeAny(database, root, anns, { reason: "copied" }),
      () => restore(database, root, anns, { reason: "an error" }),
      () => ban(database, root, { account: "bob", reason: "spam" }),
      () => unban(database, root, { account: "bob", reason: "an error" }),
      () => rename(database, ann, "Ann the second"),
    ];
    for (const [n, change] of changes.entries()) {
      await change();
      expect([n, await anHourLater()]).toEqual([n, n + 2]);
      expect([n, await anHourLater()]).toEqual([n, n + 2]);
    }
  });

  test("not more often than it is told, however much changes", async () => {
    await ended();
    expect(await anHourLater({ everyMs: 3 * HOUR_MS, places: [] })).toBe(1);
    await removeAny(database, root, anns, { reason: "copied" });
    expect(await anHourLater({ everyMs: 3 * HOUR_MS, places: [] })).toBe(1);
    expect(await anHourLater({ everyMs: 3 * HOUR_MS, places: [] })).toBe(1);
    expect(await anHourLater({ everyMs: 3 * HOUR_MS, places: [] })).toBe(2);
  });

  test("when a licence is given", async () => {
    await licenseSubmission(database, ann, anns, null);
    await ended();
    expect(await anHourLater()).toBe(1);
    await licenseSubmission(database, ann, anns, "CC0-1.0");
    expect(await anHourLater()).toBe(2);
  });
});

test("what it makes by itself it publishes where it is told, once, the newest alone", async () => {
  await ended();
  const schedule: Schedule = { everyMs: HOUR_MS, places: ["hugging_face"] };
  await anHourLater(schedule);
  await anHourLater(schedule);
  const publications = () => database.sql`select snapshot_id as id, place, state from dataset_publication order by 1`;
  expect(await publications()).toEqual([{ id: 1, place: "hugging_face", state: "waiting" }]);
  await database.sql`update dataset_publication set state = 'failed', due_at = null, message = 'no token'`;
  await anHourLater(schedule);
  expect(await publications()).toEqual([{ id: 1, place: "hugging_face", state: "failed" }]);
});

test("of old snapshots only the rows are kept, but for those on their way to a place", async () => {
  await ended();
  await anHourLater();
  await requestPublication(database, root, 1, "object_store");
  for (const name of ["Ann II", "Ann III", "Ann IV"]) {
    await rename(database, ann, name);
    await anHourLater();
  }
  await deleteOldSnapshots(database, directory, 2);
  expect([1, 2, 3, 4].map((id) => existsSync(join(directory, String(id), "README.md")))).toEqual([
    true,
    false,
    true,
    true,
  ]);
  await expect(snapshotFile(database, undefined, directory, 2, "README.md")).rejects.toMatchObject({ status: 410 });
  expect(await snapshotFile(database, undefined, directory, "latest", "skills.md")).toMatchObject({
    file: { path: "skills.md" },
  });
});
