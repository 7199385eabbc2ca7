/**
 * A dump of an existing KernelBot's database, whose rows are copied into a temporary database of this server's
 * PostgreSQL. No statement of the dump is executed: a dump can contain commands for the database and for `psql`.
 */
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { KernelBotError, quote } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { openClient, type Client, type Connection } from "@kernelbot/server/src/db/client.ts";
import { copyIn } from "@kernelbot/server/src/db/copy.ts";
import { DumpReader, type DumpTable } from "./dump-text.ts";
import { OPTIONAL, REQUIRED } from "./source.ts";

interface RestoredDump {
  connection: Connection;
  /** Deletes the temporary database. */
  close(): Promise<void>;
}

/** Name of the temporary database. The next restore deletes one that a killed process left. */
const DATABASE = "kernelbot_adopt";

/**
 * Restores the tables of a dump that `pg_dump` made: SQL, or its own format.
 * @throws KernelBotError `bad_request` if the file cannot be read or its rows are not in COPY's format, `unavailable` if
 * pg_restore is missing or fails.
 */
export async function restoreDump(file: string, server: Connection): Promise<RestoredDump> {
  const isArchive = (await beginning(file)) === "PGDMP";
  await administer(server, `drop database if exists ${DATABASE}`);
  await administer(server, `create database ${DATABASE} template template0 encoding 'UTF8'`);
  const close = () => administer(server, `drop database ${DATABASE} with (force)`);
  try {
    const connection = withDatabase(server, DATABASE);
    const client = openClient(connection, { name: "kernelbot-adopt" });
    try {
      await fill(client, isArchive ? archiveText(file) : createReadStream(file));
    } finally {
      await client.end(1);
    }
    return { connection, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates the tables that are adopted, with their columns only, and copies their rows. */
async function fill(client: Client, text: AsyncIterable<Buffer>): Promise<void> {
  await client.query("create schema leaderboard");
  const reader = new DumpReader(text, new Set([...REQUIRED, ...OPTIONAL]));
  const tables: DumpTable[] = [];
  for await (const found of reader.read()) {
    if (found.kind === "table") {
      const columns = found.columns.map(({ name, type }) => `"${name}" ${type}`);
      await client.query(`create table leaderboard."${found.name}" (${columns.join(", ")})`);
      tables.push(found);
    } else {
      const columns = found.columns.map((name) => `"${name}"`);
      const statement = `copy leaderboard."${found.name}" (${columns.join(", ")}) from stdin`;
      await copyIn(client, statement, [Readable.from(found.rows(), { objectMode: false })]);
    }
  }
  for (const { name, columns } of tables) {
    for (const key of ["id", "submission_id", "leaderboard_id"])
      if (columns.some((column) => column.name === key))
        await client.query(`create index on leaderboard."${name}" (${key})`);
  }
  await client.query("analyze");
}

async function beginning(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(5), 0, 5, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KernelBotError(
      "bad_request",
      `--from ${quote(file)} is neither an address, such as postgres://user:password@host/database, nor a readable file: ${why}`,
      { cause },
    );
  }
}

async function administer(connection: Connection, statement: string): Promise<void> {
  const client = openClient(connection, { name: "kernelbot-adopt" });
  try {
    await client.query(statement);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KernelBotError("unavailable", `a dump needs the temporary database ${quote(DATABASE)}: ${why}`, {
      cause,
    });
  } finally {
    await client.end(1);
  }
}

function withDatabase(server: Connection, database: string): Connection {
  if (!("url" in server)) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** Yields the text of a dump in pg_dump's own format. `pg_restore` prints it, without a connection to a database. */
async function* archiveText(file: string): AsyncGenerator<Buffer> {
  const env = { ...childEnvironment(process.env), LC_ALL: "C" };
  const child = spawn("pg_restore", ["--schema=leaderboard", "--no-owner", "--no-privileges", "--file=-", file], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors = (errors + chunk).slice(0, 1000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", reject).on("close", resolve);
  promise.catch(() => undefined);
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    const code = await promise.catch((cause: unknown) => {
      throw new KernelBotError(
        "unavailable",
        "this dump needs pg_restore, which could not be started: install the client programs of PostgreSQL " +
          "(Debian: apt install postgresql-client), make the dump as SQL (--format=plain), or use --from postgres://…",
        { cause },
      );
    });
    if (code !== 0) {
      throw new KernelBotError(
        "unavailable",
        `pg_restore could not read the dump: ${errors.trim() || `exit code ${code}`}`,
      );
    }
  } finally {
    child.kill();
  }
}
