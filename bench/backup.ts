import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { median } from "@kernelbot/core";
import { openClient } from "../packages/server/src/db/client.ts";
import { openDatabase, type Database } from "../packages/server/src/db/database.ts";
import { syncProblems } from "../packages/server/src/problems/sync.ts";
import { environment, temporaryDataDir } from "../scripts/processes.ts";
import { fill } from "./dataset/fill.ts";
import type { Bench, Figure } from "./figure.ts";

const SUBMISSIONS = 20_000;
const SOURCE_BYTES = 2000;
/** Number of rounds. Set KERNELBOT_BENCH_ROUNDS for more, such as 20 before a release. */
const ROUNDS = Number(process.env["KERNELBOT_BENCH_ROUNDS"] ?? 3);
/** Timeout of a command in milliseconds; a round that exceeds it counts as failed. */
const ROUND_MS = 300_000;
const MAIN = join(import.meta.dirname, "../packages/server/src/main.ts");

/** Location of a server's state. */
interface Place {
  dataDir: string;
  /** Address of the database; undefined when it is embedded. */
  url: string | undefined;
}

/**
 * Backs up 20,000 submissions with their sources and results with the command, restores them into an empty location,
 * and compares each table: with the embedded PostgreSQL, and with the one at KERNELBOT_BENCH_DATABASE_URL, whose user
 * must be a superuser that may create databases.
 */
export const backup: Bench = async () => {
  const external = process.env["KERNELBOT_BENCH_DATABASE_URL"];
  return [
    ...(await measure("embedded", embeddedPlace)),
    ...(external === undefined ? [] : await measure("external", () => externalPlace(external))),
  ];
};

async function measure(name: string, open: () => Promise<PlaceToUse>): Promise<Figure[]> {
  await using source = await open();
  const expected = await opened(source, async (database) => {
    await syncProblems(database, resolve(import.meta.dirname, "../problems"));
    await fill(database, SUBMISSIONS, SOURCE_BYTES);
    return digests(database);
  });
  const backupS: number[] = [];
  const restoreS: number[] = [];
  let equal = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const folder = mkdtempSync(join(tmpdir(), "kernelbot-backup-"));
    await using restored = await open();
    try {
      backupS.push(await command(source, "backup", "--to", folder));
      restoreS.push(await command(restored, "restore", "--from", folder));
      const differing = differences(expected, await opened(restored, digests));
      if (differing.length === 0) equal += 1;
      else console.error(`${name}, round ${round}: other rows in ${differing.join(", ")}`);
    } catch (error) {
      console.error(`${name}, round ${round}: ${String(error)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return [
    { name: `backup and restore, ${name}, equal`, value: equal, unit: `of ${ROUNDS}` },
    { name: `backup, ${name}, median`, value: median(backupS), unit: "s" },
    { name: `restore, ${name}, median`, value: median(restoreS), unit: "s" },
  ];
}

type PlaceToUse = Place & AsyncDisposable;

async function embeddedPlace(): Promise<PlaceToUse> {
  const dataDir = temporaryDataDir();
  return {
    dataDir,
    url: undefined,
    [Symbol.asyncDispose]: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

let count = 0;

async function externalPlace(address: string): Promise<PlaceToUse> {
  const dataDir = temporaryDataDir();
  const name = `kernelbot_bench_${process.pid}_${(count += 1)}`;
  const url = new URL(address);
  url.pathname = `/${name}`;
  await administer(address, `create database ${name}`);
  return {
    dataDir,
    url: url.href,
    async [Symbol.asyncDispose]() {
      rmSync(dataDir, { recursive: true, force: true });
      await administer(address, `drop database ${name} with (force)`);
    },
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = openClient({ url });
  try {
    await client.query(statement);
  } finally {
    await client.end(1);
  }
}

/**
 * Runs a command of the server. @returns its duration in seconds. @throws with its output when it fails or times out.
 */
async function command({ dataDir, url }: Place, ...args: string[]): Promise<number> {
  const env = { ...environment(), ...(url === undefined ? {} : { DATABASE_URL: url }) };
  const began = performance.now();
  await promisify(execFile)(process.execPath, [MAIN, ...args, "--data", dataDir], { env, timeout: ROUND_MS });
  return (performance.now() - began) / 1000;
}

async function opened<Result>({ dataDir, url }: Place, act: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(url === undefined ? { dataDir } : { url });
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}

/** Computes a digest of all rows of each table, except the table that records a backup after it was made. */
async function digests({ connection }: Database): Promise<Map<string, string>> {
  const client = openClient(connection);
  try {
    const tables = await client.query(`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'backup' order by 1`);
    const all = new Map<string, string>();
    for (const { name } of tables as unknown as { name: string }[]) {
      // The time of a migration belongs to the database and not to its contents.
      const row = name === "schema_migration" ? "(number, name, hash)" : "t";
      const [digest] = await client.query(
        `select count(*) || ' ' || coalesce(md5(string_agg(md5(${row}::text), '' order by md5(${row}::text))), '') as digest from "${name}" t`,
      );
      all.set(name, String(digest?.["digest"]));
    }
    return all;
  } finally {
    await client.end(1);
  }
}

function differences(expected: Map<string, string>, actual: Map<string, string>): string[] {
  const names = new Set([...expected.keys(), ...actual.keys()]);
  return [...names].filter((name) => expected.get(name) !== actual.get(name));
}
