/** Databases for tests, migrated and empty: those that tests are done with are emptied and taken again. */
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { openClient, type Client } from "../db/client.ts";
import { DATABASE_USER, socketPath } from "../db/embedded/cluster.ts";
import { TEMPLATE } from "./template.ts";

/** The name of a database that is as the template is. */
export async function takeDatabase(): Promise<string> {
  const name = newName();
  const isTaken = await connected("postgres", async (admin) => {
    const [free] = await admin.query(
      `delete from free_database
        where name = (select name from free_database limit 1 for update skip locked)
        returning name`,
    );
    if (free === undefined) return false;
    // Whoever still asks for it by the name of before finds none.
    await admin.query(`alter database ${free["name"] as string} rename to ${name}`);
    return true;
  });
  return isTaken ? name : createDatabase(TEMPLATE);
}

export async function createDatabase(template: string): Promise<string> {
  const name = newName();
  await connected("postgres", (admin) =>
    // By files: a third of the time, since what is copied need not be written to the log.
    admin.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return name;
}

/** To be taken again, or removed where a test has altered its tables. */
export async function releaseDatabase(name: string): Promise<void> {
  const [row] = await connected(name, (client) => client.query("select pristine.restore() as restored"));
  const isRestored = row?.["restored"] === true;
  await connected("postgres", (admin) =>
    isRestored
      ? admin.query(`insert into free_database (name) values ('${name}')`)
      : // Gone before it is written to the disk: all of them together are gigabytes.
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
