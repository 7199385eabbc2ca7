import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { endedSpring } from "@kernelbot/testing/datasets.ts";
import { olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { openClient } from "../db/client.ts";
import { buildSnapshots } from "./build.ts";
import { readSnapshot, requestSnapshot } from "./snapshots.ts";

useScene();
useOrganiser();

/** Builds snapshots in the folder DIRECTORY of the database URL, as a server does. */
const BUILD = `
import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, "../db/database.ts"))};
import { buildSnapshots } from ${JSON.stringify(join(import.meta.dirname, "build.ts"))};
const [url, directory] = process.argv.slice(2);
await buildSnapshots(await openDatabase({ url }), directory);
`;

test("the snapshot of a killed server is built by another one after the lease has expired, not before", async () => {
  await endedSpring(database, olga);
  const { id } = await requestSnapshot(database, olga, { competitions: ["spring"] });
  const directory = mkdtempSync(join(inject("scratch"), "datasets-"));
  // The build waits for this lock after it has written the files of the competition.
  const locking = openClient(database.connection);
  await locking.query("begin");
  await locking.query("lock table problem_version in access exclusive mode");
  const script = join(mkdtempSync(join(inject("scratch"), "server-")), "build.mjs");
  writeFileSync(script, BUILD);
  const server = spawn(process.execPath, [script, database.url, directory], { stdio: "inherit" });
  const waiting = () =>
    locking.query(`select from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())`);
  await expect.poll(waiting).toHaveLength(1);
  const exited = once(server, "exit");
  server.kill("SIGKILL");
  await exited;
  await locking.query("commit");
  await locking.end(1);
  await buildSnapshots(database, directory);
  expect(await readSnapshot(database, olga, id)).toMatchObject({ state: "building", message: null });
  const [row] = await database.sql<{ lease_until: Date }>`select lease_until from dataset_snapshot`;
  await buildSnapshots(database, directory, { clock: () => row?.lease_until as Date });
  expect((await readSnapshot(database, olga, id)).state).toBe("ready");
  expect(readdirSync(directory)).toEqual([String(id)]);
});
