/** A dump of an existing KernelBot's database, restored into a temporary database of this server's PostgreSQL. */
import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { KernelBotError, quote } from "@kernelbot/core";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { openClient, type Connection } from "../../db/client.ts";

export interface RestoredDump {
  connection: Connection;
  /** Deletes the temporary database. */
  close(): Promise<void>;
}

/** Errors of a restore that do not affect the rows: owners, rights and extensions of the other server. */
const HARMLESS =
  /role "[^"]*" does not exist|(schema|extension) "[^"]*" already exists|extension "[^"]*" is not available|unrecognized configuration parameter|could not open extension control file/;

/** Name of the temporary database. The next restore deletes one that a killed process left. */
const DATABASE = "kernelbot_adopt";

/**
 * Restores a dump that `pg_dump` made: SQL, or its own format.
 * @throws KernelBotError `bad_request` if the file cannot be read, `unavailable` if psql or pg_restore is missing or
 * fails.
 */
export async function restoreDump(file: string, server: Connection): Promise<RestoredDump> {
  const isArchive = (await beginning(file)) === "PGDMP";
  await administer(server, `drop database if exists ${DATABASE}`);
  await administer(server, `create database ${DATABASE} template template0 encoding 'UTF8'`);
  const close = () => administer(server, `drop database ${DATABASE} with (force)`);
  try {
    const connection = withDatabase(server, DATABASE);
    // pg_restore creates the tables of a schema without the schema itself.
    if (isArchive) await administer(connection, "create schema leaderboard");
    const { args, env } = clientOptions(connection);
    if (isArchive) {
      await run("pg_restore", [...args, "--schema=leaderboard", "--no-owner", "--no-privileges", file], env);
    } else {
      await run("psql", [...args, "--no-psqlrc", "--quiet", "--output=/dev/null", `--file=${file}`], env);
    }
    await administer(connection, "analyze");
    return { connection, close };
  } catch (error) {
    await close();
    throw error;
  }
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

/** Options and environment of PostgreSQL's programs. The password, if any, is in the environment. */
function clientOptions(connection: Connection): { args: string[]; env: NodeJS.ProcessEnv } {
  const env = childEnvironment(process.env);
  if ("url" in connection) {
    const url = new URL(connection.url);
    const password = decodeURIComponent(url.password);
    url.password = "";
    return { args: [`--dbname=${url.href}`], env: { ...env, PGPASSWORD: password } };
  }
  // The path of the socket is FOLDER/.s.PGSQL.PORT.
  const [, folder, port] = /^(.*)\/\.s\.PGSQL\.(\d+)$/.exec(connection.path) ?? [];
  const place = [`--host=${folder}`, `--port=${port}`, `--username=${connection.user}`];
  return { args: [...place, `--dbname=${connection.database}`], env };
}

/** Runs a program. @throws KernelBotError with its first error that affects rows. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(program, args, { env: { ...env, LC_ALL: "C" }, stdio: ["ignore", "ignore", "pipe"] });
  let fault: string | undefined;
  createInterface(child.stderr).on("line", (line) => {
    if (/ERROR|FATAL|error:/.test(line) && !HARMLESS.test(line)) fault ??= line;
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.on("error", reject).on("close", resolve);
  const code = await promise.catch((cause: unknown) => {
    throw new KernelBotError(
      "unavailable",
      `a dump needs ${program}, which could not be started: install the client programs of PostgreSQL ` +
        "(Debian: apt install postgresql-client), or restore the dump yourself and use --from postgres://…",
      { cause },
    );
  });
  // pg_restore exits with 1 after harmless errors too.
  if (fault === undefined && (code === 0 || program === "pg_restore")) return;
  throw new KernelBotError("unavailable", `${program} could not restore the dump: ${fault ?? `exit code ${code}`}`);
}
