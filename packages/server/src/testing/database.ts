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
  return Object.assign(database, { url, [Symbol.asyncDispose]: () => database.close() });
}

/** The address of a new database, copied from a template. */
export async function emptyDatabase(template = "template1"): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const folder = inject("databaseSocket");
  const admin = openClient({ path: socketPath(folder), user: DATABASE_USER, database: "postgres" });
  await admin.query(`create database ${name} template ${template}`);
  await admin.end(1);
  return `postgres:///${name}?host=${folder}&user=${DATABASE_USER}`;
}
