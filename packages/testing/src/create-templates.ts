/** Creates the databases from which test databases are copied. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient, type Client } from "@kernelbot/server/src/db/client.ts";
import { openDatabase, type Database } from "@kernelbot/server/src/db/database.ts";
import { DATABASE_USER, socketPath } from "@kernelbot/server/src/db/embedded/cluster.ts";
import { syncProblems } from "@kernelbot/server/src/problems/sync.ts";
import { EXAMPLE_PROBLEMS, writeProblems } from "./example-problems.ts";
import { TEMPLATE, TEMPLATE_WITH_PROBLEMS } from "./template.ts";

/** `temporary`: the PostgreSQL is deleted after the tests. */
export async function createTemplates(socketDirectory: string, { temporary }: { temporary: boolean }): Promise<void> {
  const connection = { path: socketPath(socketDirectory), user: DATABASE_USER };
  const admin = openClient({ ...connection, database: "postgres" });
  if (temporary) await disableDurability(admin);
  for (const name of [TEMPLATE, TEMPLATE_WITH_PROBLEMS]) {
    await admin.query(`drop database if exists ${name}`);
    await admin.query(`create database ${name}`);
    const url = `postgres:///${name}?host=${socketDirectory}&user=${DATABASE_USER}`;
    const database = await openDatabase({ url });
    if (name === TEMPLATE_WITH_PROBLEMS) await addProblems(database);
    await database.close();
    const template = openClient({ ...connection, database: name });
    await template.sql.unsafe(readFileSync(new URL("pristine.sql", import.meta.url), "utf8"));
    await template.end(1);
  }
  await admin.query("drop table if exists free_database");
  await admin.query("create table free_database (name text primary key, template text not null)");
  await admin.end(1);
}

async function addProblems(database: Database): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kernelbot-problems-"));
  writeProblems(folder, EXAMPLE_PROBLEMS);
  await syncProblems(database, folder);
  rmSync(folder, { recursive: true });
}

/** Disables durability and autovacuum, because the data is temporary. */
async function disableDurability(admin: Client): Promise<void> {
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes", "autovacuum"]) {
    await admin.query(`alter system set ${setting} = off`);
  }
  await admin.query("select pg_reload_conf()");
}
