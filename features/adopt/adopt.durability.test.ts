/** The command `adopt` as a process: killed in the middle and started again, and with a dump. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import {
  changeExisting,
  existingEntries,
  fillExisting,
} from "@kernelbot/testing/existing-kernelbot/existing-kernelbot.ts";
import { environment, SERVER } from "../../scripts/processes.ts";
import { externalConnection, openDatabase } from "@kernelbot/server/src/db/database.ts";

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

test("the rows of a dump are imported, and none of its commands is executed", async () => {
  const url = await emptyDatabase();
  const folder = mkdtempSync(join(inject("scratch"), "dump-"));
  const [file, trace] = [join(folder, "old.sql"), join(folder, "trace")];
  const tables: [name: string, columns: string, rows: string][] = [
    ["user_info", "id text, user_name text", "1\tann"],
    [
      "leaderboard",
      "id integer, name text, deadline timestamp with time zone, task jsonb",
      "1\tsum\t2026-01-01 00:00:00+00\t{}",
    ],
    ["gpu_type", "leaderboard_id integer, gpu_type text", "1\tA100"],
    ["code_files", "id integer, code bytea", String.raw`1	\\x78203d2031`],
    [
      "submission",
      "id integer, leaderboard_id integer, file_name text, user_id text, code_id integer, submission_time timestamp with time zone, done boolean",
      "1\t1\ta.py\t1\t1\t2025-12-01 00:00:00+00\tt",
    ],
    [
      "runs",
      "id integer, submission_id integer, start_time timestamp with time zone, end_time timestamp with time zone, mode text, " +
        "secret boolean, runner text, score numeric, passed boolean, compilation jsonb, meta jsonb, result jsonb, system_info jsonb",
      String.raw`1	1	2025-12-01 00:00:00+00	2025-12-01 00:00:01+00	test	f	A100	\N	t	\N	\N	\N	{}`,
    ],
  ];
  const text = tables.map(([name, columns, rows]) => {
    const names = columns.split(", ").map((column) => column.split(" ")[0]);
    return `CREATE TABLE leaderboard.${name} (\n    ${columns.replaceAll(", ", ",\n    ")}\n);
ALTER TABLE leaderboard.${name} OWNER TO a_role_of_the_other_server;
COPY leaderboard.${name} (${names.join(", ")}) FROM stdin;\n${rows}\n\\.\n`;
  });
  writeFileSync(file, `\\! touch ${trace}\nCOPY pg_class FROM PROGRAM 'touch ${trace}';\n${text.join("")}`);
  const database = await openDatabase({ url });
  // As a killed process leaves it.
  await database.sql`create database kernelbot_adopt`;
  expect(await adopt(file, url)).toMatch(/1 {2}submissions with 1 runs/);
  expect(await moved(url)).toMatchObject({ submissions: 1 });
  const left = await database.sql`select from pg_database where datname like 'kernelbot_adopt%'`;
  await database.close();
  expect(left).toEqual([]);
  expect(existsSync(trace)).toBe(false);
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
