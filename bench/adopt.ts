import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { openClient, type Connection } from "../packages/server/src/db/client.ts";
import { openDatabase, openPlace } from "../packages/server/src/db/database.ts";
import { existingEntries, fillExisting } from "../packages/testing/src/existing-kernelbot/existing-kernelbot.ts";
import { environment, SERVER, temporaryDataDir } from "../scripts/processes.ts";
import type { Bench } from "./figure.ts";

const ROWS = { users: 2003, leaderboards: 40, submissions: 100_000 };

/**
 * Moves a live KernelBot with 100,000 submissions and 275,000 runs to an empty server with the command `adopt`, and compares
 * the numbers of rows and the order of all boards. The second pass finds nothing to import.
 */
export const adopt: Bench = async () => {
  const [existing, dataDir] = [temporaryDataDir(), temporaryDataDir()];
  const place = await openPlace({ dataDir: existing });
  try {
    await fillExisting(place.connection, ROWS);
    const address = addressOf(place.connection);
    const first = await command(dataDir, address);
    const expected = await existingOrder(place.connection);
    const [counts, order] = await moved(dataDir);
    const second = await command(dataDir, address);
    const [countsAgain] = await moved(dataDir);
    return [
      { name: "adopt, 100,000 submissions", value: first, unit: "s" },
      { name: "adopt, second pass", value: second, unit: "s" },
      { name: "submissions missing here", value: expected.finished - counts, unit: "" },
      { name: "submissions imported twice", value: countsAgain - counts, unit: "" },
      { name: "entries", value: expected.entries.length, unit: "" },
      { name: "entries in another place", value: differences(expected.entries, order), unit: "" },
    ];
  } finally {
    await place.close();
    for (const folder of [existing, dataDir]) rmSync(folder, { recursive: true, force: true });
  }
};

function addressOf(connection: Connection): string {
  if ("url" in connection) return connection.url;
  const host = connection.path.replace(/\/\.s\.PGSQL\.\d+$/, "");
  return `postgres:///${connection.database}?${new URLSearchParams({ host, user: connection.user })}`;
}

/** Runs the command. @returns its duration in seconds. */
async function command(dataDir: string, from: string): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(process.execPath, [SERVER, "adopt", "--from", from, "--data", dataDir], {
    env: environment(),
    timeout: 1_200_000,
  });
  return (performance.now() - began) / 1000;
}

/** Returns the entries of accounts that are not banned as text, in the order of the existing boards. */
async function existingOrder(connection: Connection): Promise<{ finished: number; entries: string[] }> {
  const client = openClient(connection);
  try {
    const banned = await client.query("select id from leaderboard.user_info where is_banned");
    const users = new Set(banned.map((row) => String(row["id"])));
    const [row] = await client.query("select count(*)::integer as n from leaderboard.submission where done");
    const entries = (await existingEntries(connection)).filter(({ user }) => !users.has(user));
    return {
      finished: Number(row?.["n"]),
      entries: entries.map(({ leaderboard, gpu, submission }) => `${leaderboard} ${gpu} ${submission}`),
    };
  } finally {
    await client.end(1);
  }
}

async function moved(dataDir: string): Promise<[submissions: number, entries: string[]]> {
  const database = await openDatabase({ dataDir });
  try {
    const [row] = await database.sql<{ n: number }>`select count(*)::integer as n from submission`;
    const entries = await database.sql<{ entry: string }>`
      select concat_ws(' ', problem, target, submission_id) as entry from unfrozen_board_entry
      order by problem collate "C", target collate "C", time_ns, entry_run_id`;
    return [row?.n ?? 0, entries.map(({ entry }) => entry)];
  } finally {
    await database.close();
  }
}

function differences(expected: readonly string[], actual: readonly string[]): number {
  const length = Math.max(expected.length, actual.length);
  return Array.from({ length }, (_, at) => expected[at] === actual[at]).filter((same) => !same).length;
}
