/** The triggers that maintain the boards read a number of rows that is linear in the rows that a statement writes. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { claimed, person, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { TEMPLATE_WITH_PROBLEMS } from "@kernelbot/testing/template.ts";

const RUNS = 200;

/**
 * Statements, executed in this order in one transaction: the plans of the triggers are made while the tables are empty,
 * and no table has statistics.
 */
const STATEMENTS = {
  "inserts runs": sql`
    with submitted as (
      insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key, request_hash)
      select account.id, problem.name, version, 'ranked', 'kernel.py', sha256('x'), 'k', sha256('')
      from problem, account where problem.name = 'double' and account.name like 'many %' returning *
    )
    insert into run (submission_id, account_id, problem_version, target, mode, state, verdict, tag, finished_at, time_ns,
      time_low_ns, time_high_ns)
    select id, account_id, problem_version, 'cpu', 'ranked', 'done', 'passed', 0, now(), id, id, id from submitted`,
  "inserts re-runs": sql`
    with leased as materialized (select * from run where mode = 'test')
    insert into run (submission_id, account_id, problem_version, target, mode, rerun, tag, state, attempt, token_id, runner,
      machine_hash, lease_until)
    select r.submission_id, r.account_id, r.problem_version, 'cpu', 'ranked', 1, 0, 'running', 1, leased.token_id,
      leased.runner, leased.machine_hash, leased.lease_until
    from run r, leased where r.mode = 'ranked'`,
  "sets the verdicts of re-runs": sql`
    update run set state = 'done', verdict = 'passed', lease_until = null, finished_at = now(), time_ns = submission_id,
      time_low_ns = submission_id, time_high_ns = submission_id
    where rerun = 1`,
  "quarantines runs": sql`
    update run set verdict = 'quarantined', time_ns = null, time_low_ns = null, time_high_ns = null where rerun = 1`,
  "removes submissions": sql`update submission set removed_at = now(), removed_by = account_id where mode = 'ranked'`,
  "restores submissions": sql`update submission set removed_at = null, removed_by = null where mode = 'ranked'`,
  "renames accounts": sql`update account set name = 'too ' || name where name like 'many %'`,
  "bans accounts": sql`update account set banned_at = now(), ban_reason = 'x' where name like 'too many %'`,
};
type Statement = keyof typeof STATEMENTS;
const NAMES = Object.keys(STATEMENTS) as Statement[];

/** Work done by the statements: rows read by each with its triggers, and increments of change numbers. */
type Work = Record<Statement, { read: number; increments: number }>;

let once: Work;
let twice: Work;

beforeAll(async () => {
  [once, twice] = [await work(RUNS), await work(2 * RUNS)];
});

async function work(runs: number): Promise<Work> {
  // A new database, because the planner counts the pages of deleted rows that other tests leave behind.
  const database = await openDatabase({ url: await emptyDatabase(TEMPLATE_WITH_PROBLEMS) });
  await submitted(database, await person(database, "ann"));
  await claimed(database, await runner(database));
  const done = await database.db.transaction().execute(async (transaction) => {
    await sql`insert into code (hash, source) values (sha256('x'), 'x')`.execute(transaction);
    await sql`insert into account (name) select 'many ' || n from generate_series(1, ${runs}::integer) n`.execute(
      transaction,
    );
    const done: Partial<Work> = {};
    for (const name of NAMES) done[name] = await workOf(transaction, STATEMENTS[name]);
    return done as Work;
  });
  await database.close();
  return done;
}

/** Executes the statement with its deferred triggers. */
async function workOf(transaction: Transaction<Tables>, statement: RawBuilder<unknown>): Promise<Work[Statement]> {
  const before = await counters(transaction);
  await statement.execute(transaction);
  await sql`set constraints all immediate`.execute(transaction);
  const after = await counters(transaction);
  await sql`set constraints all deferred`.execute(transaction);
  return { read: after.read - before.read, increments: after.increments - before.increments };
}

async function counters(transaction: Transaction<Tables>): Promise<Work[Statement]> {
  const { rows } = await sql<Work[Statement]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read,
      sum(n_tup_ins + n_tup_upd) filter (where relname = 'board_change')::integer as increments
    from pg_stat_xact_user_tables where schemaname = 'public'`.execute(transaction);
  return rows[0] as Work[Statement];
}

test.each(NAMES)("a statement that %s reads at most 2.5 times as many rows for twice as many", (name) => {
  expect(once[name].read).toBeGreaterThan(RUNS);
  expect(twice[name].read).toBeLessThan(2.5 * once[name].read);
});

test("a transaction revises a board once", () => {
  expect(NAMES.filter((name) => twice[name].increments > 0)).toEqual(["sets the verdicts of re-runs"]);
  expect(twice["sets the verdicts of re-runs"].increments).toBe(1);
});
