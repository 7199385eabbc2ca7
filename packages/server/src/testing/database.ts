/**
 * A database of its own for a test, real and empty:
 *
 *     await using database = await testDatabase();
 */
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { openClient } from "../db/client.ts";
import { openDatabase, type Database } from "../db/database.ts";
import { socketPath, DATABASE_USER } from "../db/embedded/cluster.ts";
import { TEMPLATE } from "./template.ts";

export type TestDatabase = Database & AsyncDisposable & { url: string };

export async function testDatabase(): Promise<TestDatabase> {
  const url = await emptyDatabase(TEMPLATE);
  const database = await openDatabase({ url });
  // Gone before it is written to the disk: all of them together are gigabytes.
  const close = async (): Promise<void> => {
    await database.close();
    await administrate(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
  };
  return { ...database, url, close, [Symbol.asyncDispose]: close };
}

/** The address of a new database, copied from a template. */
export async function emptyDatabase(template = "template1"): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  // By files: a third of the time, since what is copied need not be written to the log.
  await administrate(`create database ${name} template ${template} strategy file_copy`);
  return `postgres:///${name}?host=${inject("databaseSocket")}&user=${DATABASE_USER}`;
}

async function administrate(statement: string): Promise<void> {
  const path = socketPath(inject("databaseSocket"));
  const admin = openClient({ path, user: DATABASE_USER, database: "postgres" });
  await admin.query(statement);
  await admin.end(1);
}
