/** The command `adopt` as a process: killed in the middle and started again, and with a dump. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import {
  changeExisting,
  existingEntries,
  EXISTING_SCHEMA,
  fillExisting,
} from "@kernelbot/testing/existing-kernelbot/existing-kernelbot.ts";
import { environment, SERVER } from "../../../../../scripts/processes.ts";
import { externalConnection, openDatabase } from "../../db/database.ts";

const hasPsql = spawnSync("psql", ["--version"]).status === 0;

async function moved(url: string): Promise<{ runs: number; submissions: number; entries: string[] }> {
  const database = await openDatabase({ url });
  try {
    const [row] = await database.sql<{ runs: number; submissions: number }>`
      select count(*)::integer as runs, count(distinct submission_id)::integer as submissions from run`;
    const entries = await database.sql<{ entry: string }>`
      select concat_ws(' ', problem, target, submission_id) as entry from unfrozen_board_entry
      order by problem, target, time_ns, entry_run_id`;
    return { runs: row?.runs ?? 0, submissions: row?.submissions ?? 0, entries: entries.map(({ entry }) => entry) };
  } finally {
    await database.close();
  }
}

const argumentsOf = (from: string): string[] => [SERVER, "adopt", "--from", from];

async function adopt(from: string, url: string): Promise<string> {
  const env = { ...environment(), DATABASE_URL: url };
  return (await promisify(execFile)(process.execPath, argumentsOf(from), { env })).stdout;
}

test("a pass that is killed in the middle continues, and nothing is imported twice", async () => {
  const [from, url] = [await emptyDatabase(), await emptyDatabase()];
  await fillExisting(externalConnection(from), { users: 60, leaderboards: 3, submissions: 6000 });
  const env = { ...environment(), DATABASE_URL: url };
  const killed = spawn(process.execPath, argumentsOf(from), { env, stdio: "ignore" });
  const ended = once(killed, "close");
  const database = await openDatabase({ url });
  const count = async (): Promise<number> =>
    (await database.sql<{ n: number }>`select count(*)::integer as n from submission`)[0]?.n ?? 0;
  while (killed.exitCode === null && (await count()) === 0) await pause(20);
  killed.kill("SIGKILL");
  await ended;
  const before = await count();
  await database.close();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(5700);

  expect(await adopt(from, url)).toContain(`${before.toLocaleString("en-US")}  submissions already here`);
  const after = await moved(url);
  expect(after).toMatchObject({ submissions: 5700, runs: 5700 });
  const entries = await existingEntries(externalConnection(from));
  expect(after.entries).toEqual(entries.map((row) => `${row.leaderboard} ${row.gpu} ${row.submission}`));
});

test.skipIf(!hasPsql)("a dump as SQL is restored into a temporary database, whatever roles it names", async () => {
  const url = await emptyDatabase();
  const file = join(mkdtempSync(join(inject("scratch"), "dump-")), "old.sql");
  const rows = `
    alter table leaderboard.runs owner to a_role_of_the_other_server;
    insert into leaderboard.user_info (id, user_name) values ('1', 'ann');
    insert into leaderboard.leaderboard (name, deadline, task) values ('sum', '2026-01-01Z', '{}');
    insert into leaderboard.gpu_type values (1, 'A100');
    insert into leaderboard.code_files (code) values ('x = 1');
    insert into leaderboard.submission (leaderboard_id, file_name, user_id, code_id, submission_time, done)
      values (1, 'a.py', '1', 1, '2025-12-01Z', true);`;
  writeFileSync(file, `${readFileSync(EXISTING_SCHEMA, "utf8")}${rows}`);
  const database = await openDatabase({ url });
  // As a killed process leaves it.
  await database.sql`create database kernelbot_adopt`;
  expect(await adopt(file, url)).toMatch(/1 {2}submissions with 1 runs/);
  expect(await moved(url)).toMatchObject({ submissions: 1 });
  const left = await database.sql`select from pg_database where datname like 'kernelbot_adopt%'`;
  await database.close();
  expect(left).toEqual([]);
});

test("texts of the source cannot control the terminal", async () => {
  const [from, url] = [await emptyDatabase(), await emptyDatabase()];
  const source = externalConnection(from);
  await fillExisting(source, { users: 3, leaderboards: 1, submissions: 3 });
  await changeExisting(source, String.raw`insert into leaderboard.user_info (id) values (E'\x1b[2Jeve')`);
  expect(await adopt(from, url)).toContain("skipped user_info \uFFFD[2Jeve, id: ");
});

test("what is neither an address nor a file is refused with what to use", async () => {
  const url = await emptyDatabase();
  await expect(adopt("/nowhere/old.dump", url)).rejects.toThrow(
    /--from "\/nowhere\/old.dump" is neither an address, such as postgres:\/\/user/,
  );
  await expect(adopt("postgres:///gone?host=/nowhere", url)).rejects.toThrow(/--from: the database cannot be opened: /);
});
