/**
 * Starts one PostgreSQL for a whole test run, with a migrated template database. TEST_DATABASE_SOCKET names the socket
 * folder of another PostgreSQL (with a superuser `kernelbot`), to test an older version.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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
  }
}

/** A PostgreSQL that several projects of a test run share. */
interface Shared {
  socketDirectory: Promise<string>;
  users: number;
  stop: () => Promise<void>;
}

/** Each project loads this module anew, so the database is kept where all of them find it. */
const holder = globalThis as { kernelbotTestDatabase?: Shared };

export default async function (project: TestProject): Promise<() => Promise<void>> {
  const shared = (holder.kernelbotTestDatabase ??= start());
  shared.users += 1;
  project.provide("databaseSocket", await shared.socketDirectory);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete holder.kernelbotTestDatabase;
    await shared.stop();
  };
}

function start(): Shared {
  const existing = process.env["TEST_DATABASE_SOCKET"];
  const database =
    existing === undefined
      ? ownDatabase()
      : Promise.resolve({ socketDirectory: existing, stop: () => Promise.resolve() });
  return {
    socketDirectory: database.then(async ({ socketDirectory }) => {
      await createTemplate(socketDirectory, { temporary: existing === undefined });
      return socketDirectory;
    }),
    users: 0,
    stop: async () => (await database).stop(),
  };
}

async function createTemplate(socketDirectory: string, { temporary }: { temporary: boolean }): Promise<void> {
  const connection = { path: socketPath(socketDirectory), user: DATABASE_USER };
  const admin = openClient({ ...connection, database: "postgres" });
  if (temporary) await disableDurability(admin);
  await admin.query(`drop database if exists ${TEMPLATE}`);
  await admin.query(`create database ${TEMPLATE}`);
  await admin.query("create table if not exists free_database (name text primary key)");
  await admin.query("delete from free_database");
  await admin.end(1);
  const template = openClient({ ...connection, database: TEMPLATE });
  await migrate(template.sql);
  await template.sql.unsafe(readFileSync(new URL("pristine.sql", import.meta.url), "utf8"));
  await template.end(1);
}

/** Disables durability and autovacuum, because the data is temporary. */
async function disableDurability(admin: Client): Promise<void> {
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
