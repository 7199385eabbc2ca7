/**
 * Pool of test databases, copied from templates; released ones are restored and reused. A process keeps one of each
 * template with its connections, and shares the others with the other processes.
 */
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { openClient, type Client, type Connection } from "@kernelbot/server/src/db/client.ts";
import { DATABASE_USER, socketPath } from "@kernelbot/server/src/db/embedded/cluster.ts";
import { keepClients, type KeptClients } from "./kept-clients.ts";

interface PooledDatabase {
  name: string;
  template: string;
  connection: Connection;
  clients: KeptClients;
}

/** The databases that this process keeps, by template. They are restored. */
const kept = new Map<string, PooledDatabase>();

/** Connection of this process for commands about databases: a new one costs 5 ms of processor time. */
let admin: Client | undefined;

/** Returns a database that equals the template. */
export async function takeDatabase(template: string): Promise<PooledDatabase> {
  const own = kept.get(template);
  kept.delete(template);
  if (own !== undefined) return own;
  const name = (await takeShared(template)) ?? (await createDatabase(template));
  const connection = connectionTo(name);
  return { name, template, connection, clients: keepClients(connection) };
}

async function takeShared(template: string): Promise<string | undefined> {
  const [free] = await execute<{ name: string }>(
    `delete from free_database
      where name = (select name from free_database where template = '${template}' limit 1 for update skip locked)
      returning name`,
  );
  if (free === undefined) return undefined;
  const name = newName();
  // Renamed, so that clients of the previous test cannot connect to it by its old name.
  await execute(`alter database ${free.name} rename to ${name}`);
  return name;
}

export async function createDatabase(template: string): Promise<string> {
  const name = newName();
  // Takes a third of the time of the default strategy, because the copied files are not written to the WAL.
  await execute(`create database ${name} template ${template} strategy file_copy`);
  return name;
}

/**
 * Returns a database to the pool; drops it if a test has altered its schema.
 * @param mayKeep False if other processes may know its name: they could connect to it during the next test.
 */
export async function releaseDatabase(database: PooledDatabase, mayKeep: boolean): Promise<void> {
  const { name, template, clients } = database;
  const isRestored = await clients.restore();
  if (isRestored && mayKeep && !kept.has(template)) {
    kept.set(template, database);
    return;
  }
  await clients.end();
  // Dropped at once, before it is flushed to disk: all of them together are gigabytes.
  await (isRestored ? share(database) : execute(`drop database ${name} with (force)`));
}

/** Gives the kept databases to the other processes, when this one ends. */
export async function shareKept(): Promise<void> {
  for (const database of kept.values()) {
    await database.clients.end();
    await share(database);
  }
  kept.clear();
}

async function share({ name, template }: PooledDatabase): Promise<void> {
  await execute(`insert into free_database (name, template) values ('${name}', '${template}')`);
}

async function execute<Row extends object>(command: string): Promise<Row[]> {
  admin ??= openClient(connectionTo("postgres"));
  return admin.sql.unsafe<Row[]>(command);
}

function connectionTo(database: string): Connection {
  return { path: socketPath(inject("databaseSocket")), user: DATABASE_USER, database };
}

function newName(): string {
  return `test_${randomBytes(6).toString("hex")}`;
}
