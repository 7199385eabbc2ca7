/**
 * Starts one PostgreSQL for a whole test run, with a migrated template database. TEST_DATABASE_SOCKET names the socket
 * folder of another PostgreSQL (with a superuser `kernelbot`), to test an older version.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openClient, type Client } from "@kernelbot/server/src/db/client.ts";
import { DATABASE_USER, socketPath } from "@kernelbot/server/src/db/embedded/cluster.ts";
import { startEmbedded } from "@kernelbot/server/src/db/embedded/embedded.ts";
import { migrate } from "@kernelbot/server/src/db/migrate.ts";
import { TEMPLATE } from "./template.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the test PostgreSQL's socket. */
    databaseSocket: string;
    /** Folder for files written by tests, removed after the last test. */
    scratch: string;
  }
}

export default async function (project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TEST_DATABASE_SOCKET"];
  const { socketDirectory, stop } =
    given === undefined ? await ownDatabase() : { socketDirectory: given, stop: () => Promise.resolve() };
  const connection = { path: socketPath(socketDirectory), user: DATABASE_USER };
  const admin = openClient({ ...connection, database: "postgres" });
  if (given === undefined) await forget(admin);
  await admin.query(`drop database if exists ${TEMPLATE}`);
  await admin.query(`create database ${TEMPLATE}`);
  await admin.query("create table if not exists free_database (name text primary key)");
  await admin.query("delete from free_database");
  await admin.end(1);
  const template = openClient({ ...connection, database: TEMPLATE });
  await migrate(template.sql);
  await template.sql.unsafe(readFileSync(new URL("pristine.sql", import.meta.url), "utf8"));
  await template.end(1);
  project.provide("databaseSocket", socketDirectory);
  const scratch = mkdtempSync(join(tmpdir(), "kernelbot-scratch-"));
  project.provide("scratch", scratch);
  return async () => {
    await stop();
    rmSync(scratch, { recursive: true, force: true });
  };
}

/** Disables durability and autovacuum, because the data is temporary. */
async function forget(admin: Client): Promise<void> {
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes", "autovacuum"]) {
    await admin.query(`alter system set ${setting} = off`);
  }
  await admin.query("select pg_reload_conf()");
}

async function ownDatabase(): Promise<{ socketDirectory: string; stop: () => Promise<void> }> {
  // A folder that the database's own user may enter, unlike the temporary folder of root.
  const dataDir = mkdtempSync("/var/tmp/kernelbot-test-");
  chmodSync(dataDir, 0o755);
  const embedded = await startEmbedded(dataDir, () => undefined);
  return {
    socketDirectory: embedded.socketDirectory,
    async stop() {
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
