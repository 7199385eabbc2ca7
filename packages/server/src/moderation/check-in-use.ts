/**
 * Runs kernels of boards in the application of their problem, to show whether they work in use: those of the first
 * entries by itself, those of others on request of an organiser. Each source runs once for a language, problem version and target,
 * as a submission that is in no list, which its account cannot cancel. The runs have the lowest priority of the queue. Where
 * the gate is `required`, they are queued like re-runs instead, since the account of the entry could keep the runners busy
 * with its own evaluations.
 */
import { sql, type RawBuilder, type Transaction } from "kysely";
import { KernelBotError, quote, type ApplicationGate } from "@kernelbot/core";
import { audit } from "../auth/audit.ts";
import type { Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { lockOwnProblem } from "../problems/ownership.ts";

/** Interval at which boards are read for entries whose kernels are to run, in milliseconds. */
export const CHECK_IN_USE_MS = 20_000;

/** Maximum number of runs that a board has in the queue at once, so that they exceed the time of a day by little. */
const MOST_OPEN = 2;
/** Minutes until a source whose run the platform failed to judge runs again: doubled with each run, up to a day. */
const FIRST_PAUSE_MIN = 60;
const LONGEST_PAUSE_MIN = 24 * 60;

/** SQL: whether this module made the submission `t`. No client's key begins with a space. */
const IS_OURS = sql<boolean>`t.idempotency_key like ' application/%'`;

interface ApplicationBoard {
  problem: string;
  target: string;
  version: string;
  gate: ApplicationGate;
}

/**
 * Queues runs for the first entries of every board whose problem has an application, within the time that `task.yml` sets
 * for a day. Once a board is closed, entries that are known to fail do not count among the first, so that the kernel of
 * every entry that could win runs.
 * @returns the ids of the new runs.
 */
export async function checkFirstInUse({ db }: Database): Promise<number[]> {
  const { rows: boards } = await sql<ApplicationBoard & { first: number; is_closed: boolean; room: number }>`
    select b.problem, b.target, b.version, v.application_gate as gate, settings.first, coalesce(w.closes_at <= now(), false) as is_closed,
      case when spent.seconds < settings.seconds then ${MOST_OPEN}::integer - spent.open else 0 end as room
    from board b join problem_version v on v.hash = b.version join problem_window w on w.problem = b.problem
    cross join lateral (select coalesce((v.spec #>> '{application,checkFirst}')::integer, 10) as first,
      coalesce((v.spec #>> '{application,secondsPerDay}')::integer, 3600) as seconds) settings
    cross join lateral (
      select count(*) filter (where r.state <> 'done')::integer as open,
        coalesce(sum(extract(epoch from coalesce(r.finished_at, clock_timestamp()) - r.started_at)), 0) as seconds
      from run r join submission t on t.id = r.submission_id
      where r.target = b.target and r.mode = 'application' and t.problem = b.problem and ${IS_OURS} and (
        (r.state = 'done' and r.finished_at > now() - interval '1 day') or r.state in ('queued', 'running'))
    ) spent
    where v.application_gate is not null and b.accepts`.execute(db);
  const runs: number[] = [];
  for (const board of boards) {
    if (board.room <= 0) continue;
    const among = board.is_closed
      ? sql<boolean>`possible <= ${board.first}::integer`
      : sql<boolean>`place <= ${board.first}::integer`;
    const pause = sql`least(${FIRST_PAUSE_MIN}::integer * 2 ^ least(tries - 1, 10), ${LONGEST_PAUSE_MIN}::integer)::integer`;
    const isDue = sql<boolean>`${among} and coalesce(last_at < now() - make_interval(mins => ${pause}), true)`;
    runs.push(
      ...(await runTransaction(idempotent(db), (transaction) => queueRuns(transaction, board, isDue, board.room))),
    );
  }
  return runs;
}

/**
 * Queues runs for entries of a board on request, without regard to the time of a day.
 * @param options.top Number of entries, from the fastest; null for all. `again`: whether to discard the results of these
 * entries and run their kernels anew.
 * @returns the ids of the new runs. Sources that have a result, or whose run is queued or running, get none.
 * @throws the errors of `lockOwnProblem`; KernelBotError `not_found` if the board does not exist; `conflict` if its problem
 * has no application.
 */
export async function checkBoardInUse(
  { db }: Database,
  identity: Identity,
  { board: problem, target, top, again }: { board: string; target: string; top: number | null; again: boolean },
): Promise<number[]> {
  return runTransaction(idempotent(db), async (transaction) => {
    await lockOwnProblem(transaction, identity, problem);
    const known = await transaction
      .selectFrom("board")
      .innerJoin("problem_version as v", "v.hash", "board.version")
      .select(["board.version", "v.application_gate"])
      .where("board.problem", "=", problem)
      .where("board.target", "=", target)
      .executeTakeFirst();
    if (known === undefined)
      throw new KernelBotError("not_found", `board ${quote(problem)} on target ${quote(target)} not found`);
    if (known.application_gate === null)
      throw new KernelBotError("conflict", `${problem} has no application: its task.yml has no key "application"`);
    const board = { problem, target, version: known.version, gate: known.application_gate };
    const among = top === null ? sql<boolean>`true` : sql<boolean>`place <= ${top}::integer`;
    if (again) {
      await sql`
        delete from application_result a using (${entriesOf(board)}) e
        where a.code_hash = e.code_hash and a.language = e.language and a.problem_version = ${known.version} and a.target = ${target} and ${among}`.execute(
        transaction,
      );
    }
    const runs = await queueRuns(transaction, board, among, null);
    await audit(transaction, identity, "check in use", `board ${problem} ${target}`, { runs, again });
    return runs;
  });
}

/**
 * SQL: the entries of a board with their sources: `place` from 1, and `possible`, the place among those that are not known
 * to fail.
 */
function entriesOf({ problem, target, version }: ApplicationBoard): RawBuilder<unknown> {
  return sql`
    select e.account_id, s.code_hash, s.file_name, language_of(s.file_name) as language, a.code_hash is not null as is_checked,
      row_number() over (order by e.rank_key, e.entry_run_id) as place,
      count(*) filter (where a.is_validated is distinct from false) over (order by e.rank_key, e.entry_run_id) as possible
    from unfrozen_board_entry e join submission s on s.id = e.submission_id
    left join application_result a on a.code_hash = s.code_hash
      and a.language = language_of(s.file_name) and a.problem_version = ${version} and a.target = e.target
    where e.problem = ${problem} and e.target = ${target}`;
}

/**
 * Queues a run for each source of a board that has no result and no open run of this module. Others are ignored: their
 * accounts can cancel them, and so postpone this one.
 * @param isDue SQL condition on the columns of `entriesOf`, and on `tries` and `last_at`: the number of runs that this
 * module queued for the source, and when the last one ended.
 * @param most Maximum number of runs; null for all.
 */
async function queueRuns(
  transaction: Transaction<Tables>,
  board: ApplicationBoard,
  isDue: RawBuilder<boolean>,
  most: number | null,
): Promise<number[]> {
  const { problem, target, version, gate } = board;
  // The key makes it safe to execute the statement twice, also on two servers at the same time.
  const { rows } = await sql<{ run_ids: number[] }>`
    with due as materialized (
      select distinct on (e.code_hash, e.language) e.*, tried.tries
      from (${entriesOf(board)}) e cross join lateral (
        select count(*) filter (where ${IS_OURS}) as tries, max(r.finished_at) filter (where ${IS_OURS}) as last_at,
          coalesce(bool_or(r.state in ('queued', 'running')) filter (where ${IS_OURS}), false) as is_open
        from submission t join run r on r.submission_id = t.id
        where t.code_hash = e.code_hash and language_of(t.file_name) = e.language and t.problem_version = ${version}
          and t.mode = 'application' and r.target = ${target}
      ) tried
      where not e.is_checked and not tried.is_open and ${isDue}
      order by e.code_hash, e.language, e.place
    ), chosen as (select * from due order by place limit ${most}::bigint)
    select run_ids from store_submissions((
      select coalesce(json_agg(json_build_object('account_id', account_id, 'problem', ${problem}::text, 'targets', array[${target}::text],
        'mode', 'application', 'file_name', file_name, 'source', c.source, 'code_hash', c.hash, 'request_hash', c.hash,
        'author_kind', 'undeclared', 'priority', 3, 'idempotency_key', format(' application/%s.%s/%s/%s/%s', encode(c.hash, 'hex'), language, ${version}::text, ${target}::text, tries))
        order by place), '[]')
      from chosen join code c on c.hash = chosen.code_hash and c.deleted_bytes is null))`.execute(transaction);
  const runs = rows.flatMap((row) => row.run_ids);
  if (gate === "required" && runs.length > 0)
    await sql`
      update run set priority = 0, tag = rerun_tag(target) + 8 * run_cost('application') * (place - 1)
      from unnest(${runs}::bigint[]) with ordinality as queued (id, place)
      where run.id = queued.id and state = 'queued'`.execute(transaction);
  return runs;
}
