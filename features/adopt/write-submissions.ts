/** Stores a batch of converted submissions with their sources, runs and results, in a few statements. */
import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { IMPLAUSIBLE_TIME_MESSAGE } from "@kernelbot/core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { jsonText } from "@kernelbot/server/src/db/json.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import type { Accounts } from "./accounts.ts";
import type { Boards } from "./boards.ts";
import type { AdoptedRun, AdoptedSubmission } from "./convert.ts";

interface WrittenBatch {
  submissions: number;
  runs: number;
  /** Submissions that have another number here, because a submission of this server has theirs. */
  renumbered: { number: number; id: number }[];
}

export interface WriteContext {
  identity: Identity;
  source: string;
  accounts: Accounts;
  boards: Boards;
}

/** Stores submissions that are not stored yet, in the order of their numbers, which they keep where they are free. */
export async function writeSubmissions(
  transaction: Transaction<Tables>,
  { identity, source, accounts, boards }: WriteContext,
  submissions: readonly AdoptedSubmission[],
): Promise<WrittenBatch> {
  const sources = new Map(submissions.map((one) => [one, createHash("sha256").update(one.source).digest("hex")]));
  const codes = new Map(submissions.map((one) => [sources.get(one), one.source]));
  await sql`insert into code (hash, source)
    select decode(hash, 'hex'), source from json_to_recordset(${jsonText([...codes].map(([hash, text]) => ({ hash, source: text })))}::text::json)
      as c (hash text, source text)
    order by 1 on conflict do nothing`.execute(transaction);
  const ids = await insertSubmissions(
    transaction,
    submissions.map((one) => ({
      ...{ number: one.number, mode: one.mode, file_name: one.fileName, created_at: one.submittedAt },
      ...{ key: ` import ${source} ${one.number} ${one.mode}`, code_hash: sources.get(one) },
      ...{ account_id: accounts.get(one.userId), removal_reason: one.disqualified, by: identity.account.id },
      ...{ problem: boards.get(one.leaderboard)?.problem, problem_version: boards.get(one.leaderboard)?.version },
      // Only organisers could submit after the deadline.
      is_late: one.mode === "ranked" && one.submittedAt >= (boards.get(one.leaderboard)?.endsAt ?? one.submittedAt),
    })),
  );
  const rows = submissions.flatMap((one) => {
    const id = ids.get(one.number);
    return id === undefined ? [] : one.runs.map((run) => ({ id, one, run }));
  });
  const runIds = await insertRuns(
    transaction,
    rows.map(({ id, one, run }) => runRow(id, one, run, { source, accounts, boards })),
  );
  await insertResults(
    transaction,
    rows.flatMap(({ run }, at) => run.stages.map((stage) => ({ run_id: runIds[at] as number, ...stage }))),
  );
  return {
    submissions: ids.size,
    runs: rows.length,
    renumbered: [...ids].flatMap(([number, id]) => (number === id ? [] : [{ number, id }])),
  };
}

/** Inserts the submissions. @returns the ids of the new ones by their numbers at the source. */
async function insertSubmissions(
  transaction: Transaction<Tables>,
  rows: readonly object[],
): Promise<Map<number, number>> {
  const made = await sql<{ id: number; number: number }>`
    with given as materialized (
      select * from json_to_recordset(${jsonText(rows)}::text::json) as g (number bigint, key text, account_id text, problem text,
        problem_version text, mode text, file_name text, code_hash text, created_at timestamptz, removal_reason text, by text, is_late boolean)
    ), made as (
      insert into submission (id, account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key,
        request_hash, created_at, removed_at, removed_by, removal_reason, entered_by, code_visibility)
      overriding system value
      select case when exists (select from submission s where s.id = g.number) then nextval(pg_get_serial_sequence('submission', 'id'))
          else g.number end,
        account_id, problem, problem_version, mode, file_name, decode(code_hash, 'hex'), key, sha256(convert_to(key, 'UTF8')),
        created_at, case when removal_reason is not null then now() end, case when removal_reason is not null then by end, removal_reason,
        -- Whatever the rule of the competition is by now: the author has not agreed to a publication.
        case when is_late then by end, 'never'
      from given g order by number
      on conflict (account_id, idempotency_key) do nothing
      returning id, idempotency_key
    )
    select made.id, given.number from made join given on given.key = made.idempotency_key`.execute(transaction);
  return new Map(made.rows.map(({ number, id }) => [number, id]));
}

function runRow(
  submissionId: number,
  { number, leaderboard, userId, mode, submittedAt }: AdoptedSubmission,
  run: AdoptedRun,
  { source, accounts, boards }: Omit<WriteContext, "identity">,
) {
  const board = boards.get(leaderboard);
  const isRanked = run.verdict === "passed" && mode === "ranked";
  const times =
    run.stages.find(({ stage }) => stage === "ranked")?.cases.map(({ summary }) => summary?.meanNs ?? 0) ?? [];
  const hasCaseTimes = isRanked && times.length === board?.benchmarks && times.every((time) => time > 0);
  return {
    ...{
      submission_id: submissionId,
      account_id: accounts.get(userId),
      problem: board?.problem,
      problem_version: board?.version,
    },
    ...{ target: run.target, mode, verdict: run.verdict, failure_class: run.failureClass },
    message: run.verdict === "quarantined" ? IMPLAUSIBLE_TIME_MESSAGE : run.message,
    time_ns: isRanked ? run.timeNs : null,
    case_times_ns: hasCaseTimes ? `{${times.join(",")}}` : null,
    created_at: submittedAt,
    ...{ started_at: run.startedAt, finished_at: run.finishedAt },
    ...{ source, number, run_number: run.number, stated_ns: run.timeNs },
  };
}

/** Inserts runs with their numbers at the source. @returns their ids, in the same order. */
async function insertRuns(
  transaction: Transaction<Tables>,
  rows: readonly ReturnType<typeof runRow>[],
): Promise<number[]> {
  if (rows.length === 0) return [];
  await sql`insert into board (problem, target, accepts, version)
    select distinct problem, target, false, problem_version from json_to_recordset(${jsonText(rows)}::text::json)
      as r (problem text, target text, problem_version text)
    order by 1, 2 on conflict do nothing`.execute(transaction);
  const { rows: numbers } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('run', 'id')) as id
    from generate_series(1, ${rows.length}::integer)`.execute(transaction);
  const ids = numbers.map(({ id }) => id);
  const text = jsonText(rows.map((row, at) => ({ id: ids[at], ...row })));
  await sql`
    with given as materialized (
      select * from json_to_recordset(${text}::text::json) as g (id bigint, submission_id bigint, account_id text, problem_version text,
        target text, mode text, verdict text, failure_class text, message text, time_ns float8, case_times_ns text,
        created_at timestamptz, started_at timestamptz, finished_at timestamptz, source text, number bigint, run_number bigint,
        stated_ns float8)
    ), made as (
      insert into run (id, submission_id, account_id, problem_version, target, mode, state, verdict, failure_class, message, tag,
        imported, time_ns, time_low_ns, time_high_ns, case_times_ns, created_at, started_at, finished_at)
      overriding system value
      select id, submission_id, account_id, problem_version, target, mode, 'done', verdict, failure_class, message, 0,
        true, time_ns, time_ns, time_ns, case_times_ns::float8[], created_at, started_at, finished_at
      from given order by id
    ), numbered as (
      insert into imported_run (source, submission_number, mode, target, run_number, time_ns, run_id)
      select source, number, mode, target, run_number, stated_ns, id from given
    )
    insert into flag (run_id, name, message) select id, 'speed_of_light', message from given where verdict = 'quarantined'`.execute(
    transaction,
  );
  await sql`select signal_board_change(problem, target) from (
    select distinct problem, target from json_to_recordset(${text}::text::json) as r (problem text, target text, mode text)
    where mode = 'ranked' order by 1, 2) boards`.execute(transaction);
  return ids;
}

type StageRow = AdoptedRun["stages"][number] & { run_id: number };

async function insertResults(transaction: Transaction<Tables>, stages: readonly StageRow[]): Promise<void> {
  if (stages.length === 0) return;
  const stageText = jsonText(
    stages.map(({ run_id, stage, passed, durationNs, output }) => ({
      run_id,
      stage,
      passed,
      duration_ns: durationNs,
      output,
    })),
  );
  await sql`insert into stage_result (run_id, attempt, stage, passed, duration_ns, output)
    select run_id, 0, stage, passed, duration_ns, output from json_to_recordset(${stageText}::text::json)
      as s (run_id bigint, stage text, passed boolean, duration_ns float8, output json)`.execute(transaction);
  const cases = stages.flatMap(({ run_id, stage, cases }) => cases.map((one) => ({ run_id, stage, ...one })));
  if (cases.length === 0) return;
  await sql`insert into case_result (run_id, attempt, stage, index, parameters, status, message, rounds, summary)
    select run_id, 0, stage, index, parameters, status, message, '[]', summary from json_to_recordset(${jsonText(cases)}::text::json)
      as c (run_id bigint, stage text, index integer, parameters json, status text, message text, summary json)`.execute(
    transaction,
  );
}
