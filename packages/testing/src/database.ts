/**
 * Creates a real database for a test:
 *
 *     await using database = await testDatabase();
 */
import { inject } from "vitest";
import { connectTo, type Database } from "@kernelbot/server/src/db/database.ts";
import { DATABASE_USER } from "@kernelbot/server/src/db/embedded/cluster.ts";
import { createDatabase, releaseDatabase, takeDatabase } from "./pool.ts";
import { TEMPLATE } from "./template.ts";

export type TestDatabase = Database & AsyncDisposable & { url: string };

/** Returns a database that equals the template. */
export async function testDatabase(template = TEMPLATE): Promise<TestDatabase> {
  const pooled = await takeDatabase(template);
  const { name, connection, clients } = pooled;
  let isShared = false;
  const database = connectTo({ connection, close: () => Promise.resolve() }, {}, clients.open);
  const close = async (): Promise<void> => {
    await database.close();
    await releaseDatabase(pooled, !isShared);
  };
  return {
    ...database,
    close,
    [Symbol.asyncDispose]: close,
    get connection() {
      isShared = true;
      return connection;
    },
    get url() {
      isShared = true;
      return addressOf(name);
    },
  };
}

/** Returns the URL of a new database, copied from a template. */
export async function emptyDatabase(template = "template1"): Promise<string> {
  return addressOf(await createDatabase(template));
}

function addressOf(name: string): string {
  return `postgres:///${name}?host=${inject("databaseSocket")}&user=${DATABASE_USER}`;
}
