/** Moving from an existing KernelBot: counts, board order, repeated passes, and rows that cannot be imported. */
import { hash } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import {
  changeExisting,
  existingEntries,
  fillExisting,
  fillOdd,
} from "@kernelbot/testing/existing-kernelbot/existing-kernelbot.ts";
import { readBoard } from "@kernelbot/server/src/boards/boards.ts";
import { findCompetition } from "@kernelbot/server/src/competitions/competitions.ts";
import { externalConnection, type Database } from "@kernelbot/server/src/db/database.ts";
import { openClient, type Connection } from "@kernelbot/server/src/db/client.ts";
import { createAccount } from "@kernelbot/server/src/auth/tokens.ts";
import { STRANGER } from "@kernelbot/server/src/auth/visibility.ts";
import { readRun, readSubmission } from "@kernelbot/server/src/submissions/views.ts";
import { adopt, type AdoptCounts } from "./adopt.ts";
import { nameHere } from "./boards.ts";
import { openReport, type RowFault } from "./report.ts";

const ROWS = { users: 101, leaderboards: 2, submissions: 600 };
const CLI_ID = (user: number): string =>
  hash("md5", `cli ${user}`).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
const userId = (user: number): string => String(100_000_000_000_000_000n + BigInt(user));

const NOTHING: AdoptCounts = {
  ...{ accounts: 0, tokens: 0, revokedTokens: 0, bans: 0, liftedBans: 0, temporary: 0, leaderboards: 0, limits: 0 },
  ...{ invites: 0, revokedInvites: 0, submissions: 0, runs: 0, known: 0, unfinished: 0, removed: 0, restored: 0 },
};

let server: TestServer;
let database: Database;
let from: Connection;
let faults: RowFault[];

beforeEach(async () => {
  server = await openTestServer();
  ({ database } = server);
  // The numbers of its problems are not those of the source's leaderboards, as on a server that has none yet.
  await database.sql`update problem set number = number + 1000`;
  from = externalConnection(await emptyDatabase());
  await fillExisting(from, ROWS);
  return () => server[Symbol.asyncDispose]();
});

interface PassOptions {
  isRehearsal?: boolean;
  includeUnfinished?: boolean;
  maxRemovals?: number;
  source?: string;
}

async function pass(options: PassOptions = {}): Promise<AdoptCounts> {
  faults = [];
  const report = openReport((fault) => faults.push(fault));
  const progress = { begin: () => undefined, add: () => undefined };
  const usual = { source: "old", isRehearsal: false, includeUnfinished: false, maxRemovals: 10 };
  return adopt({ database, from, report, progress, ...usual, ...options });
}

/** Returns the entries of all boards here in the shape of `existingEntries`, without those of banned accounts. */
async function entriesHere() {
  const { rows } = await sql<{ leaderboard: string; gpu: string; user: string; submission: number; score: number }>`
    select e.problem as leaderboard, e.target as gpu, i.user_id as user, e.submission_id as submission, e.time_ns / 1e9 as score
    from unfrozen_board_entry e join imported_account i on i.account_id = e.account_id and i.source = 'old'
    order by e.problem, e.target, e.time_ns, e.entry_run_id`.execute(database.db);
  return rows.map((row) => ({ ...row, score: Number(row.score.toPrecision(12)) }));
}

async function expectedEntries(without?: readonly number[]) {
  const banned = await sql<{
    user_id: string;
  }>`select user_id from imported_account i join account a on a.id = i.account_id
    where a.banned_at is not null`.execute(database.db);
  const names = new Set(banned.rows.map(({ user_id }) => user_id));
  return (await existingEntries(from, without))
    .filter(({ user }) => !names.has(user))
    .map((row) => ({ ...row, score: Number(row.score.toPrecision(12)) }));
}

async function countRows() {
  const tables = [
    "account",
    "token",
    "submission",
    "run",
    "stage_result",
    "case_result",
    "code",
    "problem",
    "competition",
  ];
  const counts = await Promise.all(
    tables.map((table) =>
      sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)}`.execute(database.db),
    ),
  );
  return Object.fromEntries(tables.map((table, at) => [table, counts[at]?.rows[0]?.n]));
}

const ask = (path: string, user: number, init: RequestInit = {}): Promise<Response> =>
  Promise.resolve(server.app.request(path, { ...init, headers: { "x-popcorn-cli-id": CLI_ID(user) } }));

test("imports every row, and boards have the entries of the source in the same order", async () => {
  const counts = await pass();
  expect(faults).toEqual([]);
  expect(counts).toEqual({
    ...NOTHING,
    ...{ accounts: 101, tokens: 101, bans: 1, leaderboards: 2, invites: 20, limits: 2 },
    ...{ submissions: 570, runs: 570, unfinished: 30 },
  });
  const expected = await expectedEntries();
  expect(expected.length).toBeGreaterThan(200);
  expect(await entriesHere()).toEqual(expected);
});

test("a second pass imports nothing twice", async () => {
  await pass();
  const before = await countRows();
  const counts = await pass();
  expect(counts).toEqual({ ...NOTHING, limits: 2, known: 570, unfinished: 30 });
  expect(await countRows()).toEqual(before);
});

test("a second pass applies what changed in between", async () => {
  await pass();
  await changeExisting(
    from,
    `update leaderboard.submission set done = true where id = 13;
     insert into leaderboard.runs (submission_id, start_time, end_time, mode, secret, runner, score, passed, system_info)
       select 13, now(), now(), 'leaderboard', secret, 'A100', 1e-9 * 200, true, '{}' from (values (true), (false)) v (secret);
     insert into leaderboard.submission (leaderboard_id, file_name, user_id, code_id, submission_time, done)
       values (1, 'late.py', '${userId(5)}', 1, '2026-01-15Z', true);
     update leaderboard.submission set status = 'hacked' where id = 3;
     delete from leaderboard.submission_job_status where submission_id = 4;
     delete from leaderboard.runs where submission_id = 4;
     delete from leaderboard.submission where id = 4;
     update leaderboard.user_info set is_banned = true where id = '${userId(9)}';
     update leaderboard.user_info set cli_id = md5('another') where id = '${userId(8)}';
     update leaderboard.leaderboard set deadline = '2027-01-01Z', visibility = 'closed' where id = 1`,
  );
  expect(await pass()).toMatchObject({ submissions: 2, known: 569, bans: 1, tokens: 1, removed: 2, unfinished: 29 });
  expect(await entriesHere()).toEqual(await expectedEntries());
  expect(await readSubmission(database, 3)).toMatchObject({ removed: { by: "moderator", reason: "marked as hacked" } });
  expect(await readSubmission(database, 4)).toMatchObject({ removed: { by: "owner" } });
  expect((await ask("/user/submissions", 8)).status).toBe(401);
  expect(await findCompetition(database, "board_1")).toMatchObject({
    endsAt: "2027-01-01T00:00:00.000Z",
    visibility: "closed",
  });
});

test("a later pass applies what was lifted, invalidated and deleted there, and keeps what was decided here", async () => {
  await changeExisting(
    from,
    `update leaderboard.user_info set is_banned = true where id in ('${userId(8)}', '${userId(9)}')`,
  );
  await pass();
  const [code] = await database.sql<{
    code: string;
  }>`select code from invite where claimed_by is null and revoked_at is null`;
  await database.sql`update account set ban_reason = 'decided here' where id = (select account_id from imported_account where user_id = ${userId(9)})`;
  await changeExisting(
    from,
    `update leaderboard.user_info set is_banned = false where id in ('${userId(8)}', '${userId(9)}');
     update leaderboard.user_info set cli_valid = false where id = '${userId(6)}';
     delete from leaderboard.leaderboard_invite where code = '${code?.code}';
     update leaderboard.submission set status = 'active' where id = 12;
     update leaderboard.submission_job_status set status = 'succeeded', error = null where submission_id = 12`,
  );
  expect(await pass()).toMatchObject({ liftedBans: 1, bans: 0, revokedTokens: 1, revokedInvites: 1, restored: 1 });
  expect((await ask("/user/submissions", 6)).status).toBe(401);
  const banned = await database.sql`select ban_reason from account where banned_at is not null order by 1`;
  expect(banned.map((row) => row["ban_reason"])).toEqual(["banned in old", "decided here"]);
  expect(await entriesHere()).toEqual(await expectedEntries());
  await changeExisting(from, `update leaderboard.user_info set cli_valid = true where id = '${userId(6)}'`);
  expect(await pass()).toMatchObject({ tokens: 1, liftedBans: 0, revokedInvites: 0, restored: 0 });
  // The server remembers for half a second that a token was not valid.
  await expect.poll(async () => (await ask("/user/submissions", 6)).status).toBe(200);
});

test("a pass from an older copy or another database is refused before anything is written", async () => {
  await pass();
  const before = await entriesHere();
  const whole = from;
  from = externalConnection(await emptyDatabase());
  await fillExisting(from, { ...ROWS, submissions: 300 });
  for (const isRehearsal of [true, false]) {
    await expect(pass({ isRehearsal })).rejects.toThrow(
      /--from lacks 270 submissions .* --max-removals 270 \(now 10\)/,
    );
  }
  await changeExisting(from, "update leaderboard.submission set submission_time = submission_time + interval '1 hour'");
  await expect(pass()).rejects.toThrow(
    /--from is not the database that was imported as "old": submission \d+ was made/,
  );
  await changeExisting(from, "update leaderboard.leaderboard set name = 'mine' where id = 2");
  await expect(pass()).rejects.toThrow('leaderboard 2 was "board_2" and is "mine" there');
  expect(await entriesHere()).toEqual(before);

  from = whole;
  await changeExisting(
    from,
    "create table kept as select * from leaderboard.submission where id = 15; create table kept_runs as select * from leaderboard.runs where submission_id = 15;" +
      "delete from leaderboard.submission_job_status where submission_id = 15; delete from leaderboard.runs where submission_id = 15; delete from leaderboard.submission where id = 15",
  );
  expect(await pass({ isRehearsal: true })).toMatchObject({ removed: 1 });
  expect(await pass()).toMatchObject({ removed: 1 });
  await changeExisting(
    from,
    "insert into leaderboard.submission select * from kept; insert into leaderboard.runs (submission_id, start_time, end_time, mode, secret, runner, passed, system_info) select submission_id, start_time, end_time, mode, secret, runner, passed, system_info from kept_runs",
  );
  expect(await pass()).toMatchObject({ removed: 0, restored: 1 });
});

test("two systems are adopted into one server: their leaderboards and rows stay apart, and people are one account", async () => {
  await pass();
  const [before, first] = [await entriesHere(), from];
  from = externalConnection(await emptyDatabase());
  await fillExisting(from, { ...ROWS, submissions: 200 });
  await changeExisting(
    from,
    `update leaderboard.leaderboard set name = 'second_' || id;
     update leaderboard.leaderboard_invite set code = left(md5(code), 22);
     update leaderboard.user_info set cli_id = md5('second ' || id), is_banned = id = '${userId(9)}'`,
  );
  expect(await pass({ source: "second" })).toMatchObject({
    accounts: 0,
    tokens: 101,
    bans: 1,
    leaderboards: 2,
    submissions: 190,
  });
  expect(faults.map(({ table, field }) => `${table} ${field}`)).toEqual([
    ...Array<string>(2).fill("leaderboard id"),
    ...Array<string>(190).fill("submission id"),
  ]);
  const own = (rows: typeof before) => rows.filter(({ leaderboard }) => leaderboard.startsWith("board_"));
  const shown = before.filter(({ user }) => user !== userId(9));
  expect(own(await entriesHere())).toEqual(shown);
  // Each pass finds its own rows again, and lifts only its own bans.
  expect(await pass({ source: "second" })).toMatchObject({ submissions: 0, known: 190, removed: 0 });
  from = first;
  expect(await pass()).toEqual({ ...NOTHING, limits: 2, known: 570, unfinished: 30 });
  expect((await ask("/user/submissions", 8)).status).toBe(200);
  expect(own(await entriesHere())).toEqual(shown);
});

test("leaderboards of a second system with names that are taken are reported, and the first one's stay as they are", async () => {
  await pass();
  const before = await entriesHere();
  const versions = await database.sql`select name, version, source from problem order by name`;
  await changeExisting(
    from,
    "update leaderboard.leaderboard set task = jsonb_set(task, '{files,eval.py}', '\"# another\"')",
  );
  expect(await pass({ source: "second" })).toMatchObject({ leaderboards: 0, submissions: 0, removed: 0 });
  const skipped = faults.filter(({ table }) => table === "leaderboard");
  expect(skipped.map(({ outcome, row, reason }) => [outcome, row, reason])).toEqual(
    [1, 2].map((n) => ["skipped", n, `the leaderboard board_${n} was adopted from "old"; rename one of the two`]),
  );
  expect(await database.sql`select name, version, source from problem order by name`).toEqual(versions);
  expect(await entriesHere()).toEqual(before);
});

test("leaderboards keep their numbers, also those without a GPU or a usable task, in the views of the web front end", async () => {
  await changeExisting(
    from,
    `insert into leaderboard.leaderboard (id, name, deadline, task, forum_id, description) values
       (70, 'no_gpu', '2027-01-01Z', '{}', -1, ''), (75, 'no_task', '2027-01-01Z', '{}', -1, '');
     insert into leaderboard.gpu_type values (75, 'A100')`,
  );
  await pass();
  const listed = await database.sql<{
    id: number;
    name: string;
  }>`select id, name from leaderboard.leaderboard where id < 1000 order by id`;
  expect(listed.map(({ id, name }) => `${id} ${name}`)).toEqual(["1 board_1", "70 no_gpu", "75 no_task"]);
  const gpus = await database.sql`select gpu_type from leaderboard.gpu_type where leaderboard_id = 75`;
  expect(gpus.map((row) => row["gpu_type"])).toEqual(["A100"]);
  const pages = await Promise.all(
    ["/boards/no_gpu", "/boards/no_task", "/boards", "/competitions/no_gpu", "/problems/no_gpu"].map(async (path) =>
      server.app.request(path),
    ),
  );
  expect(pages.filter(({ status }) => status >= 500)).toEqual([]);
});

test("a code that was made there admits its holder here", async () => {
  await pass();
  const [invite] = await database.sql`select code from invite where claimed_by is null`;
  const code = String(invite?.["code"]);
  expect(code).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: `${code} ` }),
  };
  const joined = await server.app.request("/user/join", {
    ...init,
    headers: { ...init.headers, "x-popcorn-cli-id": CLI_ID(1) },
  });
  expect(await joined.json()).toEqual({ status: "ok", leaderboards: ["board_2"] });
});

test("a user whose runs a data set brought here gets the account of that import", async () => {
  const { id } = await createAccount(database, "earlier");
  await database.sql`insert into imported_account (source, user_id, account_id, discord) values ('corpus', ${userId(5)}, ${id}, true)`;
  expect(await pass()).toMatchObject({ accounts: 100 });
  const [row] =
    await database.sql`select account_id from linked_identity where provider = 'discord' and subject = ${userId(5)}`;
  expect(row).toEqual({ account_id: id });
});

test("a ban there cancels the queued runs of the account here", async () => {
  await changeExisting(from, "update leaderboard.leaderboard set deadline = now() + interval '1 day'");
  await pass();
  const form = new FormData();
  form.set("file", new File(["import torch\n"], "new.py"));
  expect((await ask("/submission/board_1/A100/leaderboard", 9, { method: "POST", body: form })).status).toBe(202);
  await changeExisting(from, `update leaderboard.user_info set is_banned = true where id = '${userId(9)}'`);
  expect(await pass()).toMatchObject({ bans: 1 });
  const runs = await database.db.selectFrom("run").select("state").where("imported", "=", false).execute();
  expect(runs).toEqual([{ state: "cancelled" }]);
});

test("a pass does not change the competition into which an organiser moved the problem", async () => {
  await pass();
  await database.sql`update problem set competition = 'board_1' where name = 'board_2'`;
  const before = await findCompetition(database, "board_1");
  await pass();
  expect(await findCompetition(database, "board_1")).toEqual(before);
});

test("entries after the deadline, which organisers made, count as late entries", async () => {
  await changeExisting(
    from,
    `update leaderboard.leaderboard set deadline = (select submission_time from leaderboard.submission where id = 300)`,
  );
  await pass();
  expect(await entriesHere()).toEqual(await expectedEntries());
  expect(await readSubmission(database, 300)).toMatchObject({ enteredBy: { name: "operator" } });
});

test("a rehearsal writes nothing, and a pass has its counts and its faults, whatever the columns contain", async () => {
  await fillOdd(from);
  for (const includeUnfinished of [false, true]) {
    const before = await countRows();
    const rehearsed = await pass({ isRehearsal: true, includeUnfinished });
    const expected = faults;
    expect(await countRows()).toEqual(before);
    expect(await pass({ includeUnfinished })).toEqual(rehearsed);
    expect(faults).toEqual(expected);
  }
});

test("rows of every kind are imported or reported, and boards keep the order of the source", async () => {
  await fillOdd(from);
  const counts = await pass({ includeUnfinished: true });
  const skipped = (table: string): number =>
    new Set(faults.filter((fault) => fault.table === table && fault.outcome === "skipped").map(({ row }) => row)).size;
  const there = await countExisting(["user_info", "leaderboard", "leaderboard_invite", "submission", "rate_limit"]);
  expect(counts.accounts + counts.temporary + skipped("user_info")).toBe(there.user_info);
  expect(counts.leaderboards + skipped("leaderboard")).toBe(there.leaderboard);
  expect(counts.invites + skipped("leaderboard_invite")).toBe(there.leaderboard_invite);
  expect(counts.submissions + skipped("submission")).toBe(there.submission);
  expect(counts.limits + skipped("rate_limit")).toBe(there.rate_limit);
  const imported = new Set(
    (await server.database.sql`select problem from adopted_leaderboard`).map((row) => row.problem),
  );
  const lost = faults.flatMap(({ table, outcome, row }) =>
    table === "submission" && outcome === "skipped" ? [Number(row)] : [],
  );
  const expected = (await expectedEntries(lost))
    .map((row) => ({ ...row, leaderboard: nameHere(row.leaderboard) }))
    .filter(({ leaderboard, gpu }) => imported.has(leaderboard) && gpu !== "a b");
  const order = (rows: typeof expected) =>
    rows.map((row) => `${row.leaderboard} ${row.gpu} ${row.score} ${row.submission}`).toSorted();
  expect(expected.length).toBeGreaterThan(220);
  expect(order(await entriesHere())).toEqual(order(expected));
});

test("the existing client continues with its cli_id and the numbers of its submissions", async () => {
  await pass();
  const list = z.array(z.looseObject({ id: z.int() }));
  const own = list.parse(await (await ask("/user/submissions?leaderboard=board_2", 2)).json());
  const existing = await existingSubmissions(2, 2);
  expect(existing.length).toBeGreaterThan(1);
  expect(own.map(({ id }) => id)).toEqual(existing);
  const shown = await ask(`/user/submissions/${existing[0]}`, 2);
  expect(await shown.json()).toMatchObject({ id: existing[0], leaderboard_name: "board_2", done: true });
  expect((await ask(`/user/submissions/${existing[0]}`, 4)).status).toBe(404);
  expect(await (await ask("/gpus/board_2", 2)).json()).toEqual(["A100", "MI300"]);
  // Only those who had claimed an invite code see a closed leaderboard.
  expect((await ask("/gpus/board_2", 1)).status).toBe(404);
  const entries = z.array(z.looseObject({ submission_id: z.int(), rank: z.int() }));
  const board = entries.parse(await (await server.app.request("/submissions/board_1/A100")).json());
  const expected = (await expectedEntries()).filter(
    ({ leaderboard, gpu }) => leaderboard === "board_1" && gpu === "A100",
  );
  expect(board.map((row) => row.submission_id)).toEqual(expected.map(({ submission }) => submission));
  // As a bearer token it opens nothing.
  const asBearer = await server.app.request("/api/v1/account", { headers: { authorization: `Bearer ${CLI_ID(1)}` } });
  expect(asBearer.status).toBe(401);
});

test("results, times of the cases and the mark of imported entries are shown", async () => {
  await pass();
  const board = await readBoard(database, STRANGER, "board_1", "A100");
  const [best] = board.rows;
  expect(best).toMatchObject({ imported: true, legacyHarness: true, speedup: null });
  const time = best?.timeNs.value ?? 0;
  expect(best?.caseTimesNs).toEqual([expect.closeTo(time / 2, 3), expect.closeTo(time * 2, 3)]);
  const run = await readRun(database, best?.runId ?? 0);
  expect(run?.stages.map(({ stage }) => stage)).toEqual(["test", "benchmark", "ranked"]);
  expect(run?.stages[0]).toMatchObject({
    passed: true,
    output: { head: "done" },
    cases: [{ case: { size: 127, seed: 4242 } }],
  });
  expect(run?.stages[2]?.cases[1]).toMatchObject({
    case: { size: 2048 },
    summary: { meanNs: best?.caseTimesNs[1], runs: 100 },
  });
  const page = await (await server.app.request("/boards/board_1/A100")).text();
  expect(page).toContain("Imported from another platform");
});

test("an adopted board that is open accepts submissions under numbers after those of the source", async () => {
  await changeExisting(from, "update leaderboard.leaderboard set deadline = now() + interval '1 day'");
  await pass();
  const form = new FormData();
  form.set("file", new File(["import torch\n"], "new.py"));
  const sent = await ask("/submission/board_1/A100/leaderboard", 1, { method: "POST", body: form });
  expect(await sent.json()).toMatchObject({ status: "accepted", details: { id: 200_001 } });
});

test("rows that cannot be imported are reported with the field and the reason", async () => {
  await changeExisting(
    from,
    String.raw`
     insert into leaderboard.code_files (code) values ('\xff00ff'), (convert_to(repeat('x', 1000001), 'UTF8'));
     update leaderboard.submission set code_id = (select max(id) - 1 from leaderboard.code_files) where id = 1;
     update leaderboard.submission set code_id = (select max(id) from leaderboard.code_files) where id = 2;
     update leaderboard.submission set file_name = '../../etc/passwd' where id = 3;
     update leaderboard.runs set score = 'NaN' where submission_id = 4 and score is not null;
     update leaderboard.runs set score = 1e-9 where submission_id = 5 and score is not null;
     update leaderboard.runs set runner = 'a b' where submission_id = 6;
     update leaderboard.user_info set cli_id = 'short' where id = '${userId(1)}';
     update leaderboard.user_info set cli_id = 'the same one of two users, in both' where id in ('${userId(2)}', '${userId(3)}');
     update leaderboard.rate_limit set max_submissions_per_hour = 0 where id = 1;
     update leaderboard.leaderboard set task = '{"lang": "py"}' where id = 1;
     insert into leaderboard.leaderboard (name, deadline, task, forum_id, description) values ('double', now(), '{}', -1, '')`,
  );
  await pass({ includeUnfinished: true });
  expect(faults.map(({ outcome, table, row, field, reason }) => [outcome, table, row, field, reason])).toEqual([
    ["changed", "user_info", userId(1), "cli_id", "it is too short to be a secret; link again"],
    ["changed", "user_info", userId(2), "cli_id", "another user has the same one; link again"],
    ["changed", "user_info", userId(3), "cli_id", "another user has the same one; link again"],
    ["changed", "leaderboard", 1, "task", expect.stringContaining("task.files")],
    ["changed", "leaderboard", 3, "task", "it has no GPUs; its results are imported, but it accepts no submissions"],
    ["skipped", "leaderboard", 3, "name", expect.stringContaining("a problem named double exists")],
    ["skipped", "submission", 1, "code", "the file is binary, not text: it contains NUL bytes"],
    ["skipped", "submission", 2, "code", "the file is larger than 1,000,000 bytes, the maximum for a source"],
    ["changed", "submission", 3, "file_name", expect.stringContaining("must not contain a path")],
    ["changed", "runs", expect.any(Number), "score", "NaN is not a time; the run is not ranked"],
    ["changed", "runs", expect.any(Number), "score", expect.stringContaining("the run is quarantined")],
    ...Array<unknown[]>(4).fill(["skipped", "runs", expect.any(Number), "runner", '"a b" is not a valid target']),
  ]);
});

test("a file that is not the database of a KernelBot is refused with the missing table", async () => {
  from = externalConnection(await emptyDatabase());
  await expect(pass()).rejects.toThrow(/the table "leaderboard.leaderboard" does not exist/);
});

async function countExisting<Table extends string>(tables: readonly Table[]): Promise<Record<Table, number>> {
  const client = openClient(from);
  try {
    const counts = tables.map(async (table) => {
      const [row] = await client.query(`select count(*)::integer as n from leaderboard.${table}`);
      return [table, Number(row?.["n"])] as const;
    });
    return Object.fromEntries(await Promise.all(counts)) as Record<Table, number>;
  } finally {
    await client.end(1);
  }
}

/** Returns the ids of a user's finished submissions to a leaderboard that count there, the newest first. */
async function existingSubmissions(user: number, leaderboard: number): Promise<number[]> {
  const client = openClient(from);
  try {
    const rows = await client.query(
      "select id from leaderboard.submission where user_id = $1 and leaderboard_id = $2 and done and status <> 'hacked' order by id desc",
      [userId(user), leaderboard],
    );
    return rows.map((row) => Number(row["id"]));
  } finally {
    await client.end(1);
  }
}
