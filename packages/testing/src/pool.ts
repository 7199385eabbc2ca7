/** Pool of migrated, empty test databases; released ones are emptied and reused. */
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { openClient, type Client } from "@kernelbot/server/src/db/client.ts";
import { DATABASE_USER, socketPath } from "@kernelbot/server/src/db/embedded/cluster.ts";
import { TEMPLATE } from "./template.ts";

/** Returns the name of a database that equals the template. */
export async function takeDatabase(): Promise<string> {
  const name = newName();
  const isTaken = await connected("postgres", async (admin) => {
    const [free] = await admin.query(
      `delete from free_database
        where name = (select name from free_database limit 1 for update skip locked)
        returning name`,
    );
    if (free === undefined) return false;
    // Renamed, so that clients of the previous test cannot connect to it by its old name.
    await admin.query(`alter database ${free["name"] as string} rename to ${name}`);
    return true;
  });
  return isTaken ? name : createDatabase(TEMPLATE);
}

export async function createDatabase(template: string): Promise<string> {
  const name = newName();
  await connected("postgres", (admin) =>
    // Takes a third of the time of the default strategy, because the copied files are not written to the WAL.
    admin.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return name;
}

/** Returns a database to the pool; drops it if a test has altered its schema. */
export async function releaseDatabase(name: string): Promise<void> {
  const [row] = await connected(name, (client) => client.query("select pristine.restore() as restored"));
  const isRestored = row?.["restored"] === true;
  await connected("postgres", (admin) =>
    isRestored
      ? admin.query(`insert into free_database (name) values ('${name}')`)
      : // Dropped at once, before it is flushed to disk: all of them together are gigabytes.
        admin.query(`drop database ${name} with (force)`),
  );
}

async function connected<Result>(database: string, act: (client: Client) => Promise<Result>): Promise<Result> {
  const client = openClient({ path: socketPath(inject("databaseSocket")), user: DATABASE_USER, database });
  try {
    return await act(client);
  } finally {
    await client.end(1);
  }
}

function newName(): string {
  return `test_${randomBytes(6).toString("hex")}`;
}
