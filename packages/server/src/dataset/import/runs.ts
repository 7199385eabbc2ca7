/** Imports submissions and their runs, a whole batch in a few statements. */
import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import {
  IMPLAUSIBLE_TIME_MESSAGE,
  KernelBotError,
  MIN_PLAUSIBLE_NS,
  type ImportResult,
  type ImportBatch,
} from "@kernelbot/core";
import { jsonText } from "../../db/json.ts";
import type { Tables } from "../../db/tables.ts";
import type { BoardProblem } from "./problems.ts";

type Counts = Omit<ImportResult, "problems" | "accounts">;

/**
 * Creates the submissions and runs that do not exist yet. Runs with an implausibly short time are quarantined for a
 * moderator's decision.
 * @throws KernelBotError `unprocessable` when a row refers to a source that the batch does not contain.
 */
export async function putRuns(
  transaction: Transaction<Tables>,
  batch: ImportBatch,
  boards: ReadonlyMap<number, BoardProblem>,
  accounts: ReadonlyMap<string, string>,
): Promise<Counts> {
  const { head, rows } = batch;
  if (rows.length === 0) return { made: 0, quarantined: 0, known: 0, repeated: 0 };
  const hashes = batch.sources.map((source) => createHash("sha256").update(source).digest("hex"));
  const records = jsonText(
    rows.map(({ userId, userName: _, problem, source, ...row }, item) => {
      const codeHash = hashes[source];
      if (codeHash === undefined) {
        throw new KernelBotError(
          "unprocessable",
          `rows[${item}].source: out of range; the batch has ${hashes.length} sources`,
        );
      }
      const board = boards.get(problem);
      return { ...row, item, codeHash, board: board?.problem, version: board?.version, account: accounts.get(userId) };
    }),
  );
  const text = jsonText(batch.sources.map((source, at) => ({ hash: hashes[at], source })));
  await sql`insert into code (hash, source)
    select decode(hash, 'hex'), source from json_to_recordset(${text}::text::json) as s (hash text, source text)
    order by 1 on conflict do nothing`.execute(transaction);
  await sql`insert into board (problem, target, accepts)
    select distinct board, target, false from json_to_recordset(${records}::text::json) as r (board text, target text, mode text)
    where mode = 'ranked' order by 1, 2 on conflict do nothing`.execute(transaction);
  await sql`
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key, request_hash,
      created_at, licence, code_visibility)
    select account, board, version, mode, "fileName", decode("codeHash", 'hex'), key, sha256(convert_to(key, 'UTF8')),
      "submittedAt", ${head.licence}::text,
      (select c.code_visibility from problem p join competition c on c.name = p.competition where p.name = r.board)
    from (select distinct on (submission, mode) * from ${recordset(records, head.source)} order by submission, mode, item) r
    order by "submittedAt", submission, item
    on conflict (account_id, idempotency_key) do nothing`.execute(transaction);
  const {
    rows: [counts],
  } = await sql<Counts & { lost: number }>`
    with placed as materialized (
      select r.*, s.id as submission_id, known.run_id is not null as is_known,
        known.run_number is not distinct from r.run as is_same
      from ${recordset(records, head.source)} r
      join submission s on s.account_id = r.account and s.idempotency_key = r.key and s.problem = r.board
      left join imported_run known on known.source = ${head.source} and known.submission_number = r.submission
        and known.mode = r.mode and known.target = r.target
    ), first as materialized (
      select distinct on (submission_id, target) *,
        case when outcome = 'cancelled' then null
          when "timeNs" < ${MIN_PLAUSIBLE_NS}::float8 then 'quarantined' else outcome end as verdict
      from placed where not is_known order by submission_id, target, run, item
    ), made as (
      insert into run (submission_id, account_id, problem_version, target, mode, state, verdict, failure_class, message, tag,
        imported, time_ns, time_low_ns, time_high_ns, created_at, started_at, finished_at)
      select submission_id, account, version, target, mode, case when verdict is null then 'cancelled' else 'done' end,
        verdict, "failureClass", case when verdict = 'quarantined' then ${IMPLAUSIBLE_TIME_MESSAGE} end, 0, true,
        ranked.ns, ranked.ns, ranked.ns, "submittedAt", "startedAt", "finishedAt"
      from first cross join lateral (select case when verdict = 'passed' then "timeNs" end as ns) ranked
      order by "submittedAt", submission_id, item
      returning id, submission_id, target, verdict
    ), noted as (
      insert into imported_run (source, submission_number, mode, target, run_number, time_ns, run_id)
      select ${head.source}, submission, mode, target, run, "timeNs", made.id from made join first using (submission_id, target)
    ), flagged as (
      insert into flag (run_id, name, message) select id, 'speed_of_light', ${IMPLAUSIBLE_TIME_MESSAGE} from made where verdict = 'quarantined'
    )
    select (select count(*) from made)::integer as made,
      (select count(*) from made where verdict = 'quarantined')::integer as quarantined,
      (select count(*) from placed where is_known and is_same)::integer as known,
      (select count(*) from placed where not (is_known and is_same))::integer - (select count(*) from made)::integer
        as repeated,
      ${rows.length}::integer - (select count(*) from placed)::integer as lost`.execute(transaction);
  if (counts === undefined || counts.lost > 0) throw new Error("an imported row has no submission");
  const { lost: _, ...result } = counts;
  if (result.made > 0) {
    await sql`select signal_board_change(board, target) from (
      select distinct board, target from json_to_recordset(${records}::text::json) as r (board text, target text, mode text)
      where mode = 'ranked' order by 1, 2) boards`.execute(transaction);
  }
  return result;
}

/**
 * SQL of the rows of a batch, with the idempotency key of their submission. Keys of clients never begin with a space.
 */
function recordset(records: string, source: string) {
  return sql`(select *, ' import ' || ${source}::text || ' ' || submission || ' ' || mode as key
    from json_to_recordset(${records}::text::json) as r (item integer, submission bigint, run bigint, board text, version text,
      account text, "fileName" text, "codeHash" text, mode text, target text, "submittedAt" timestamptz,
      "startedAt" timestamptz, "finishedAt" timestamptz, outcome text, "failureClass" text, "timeNs" float8))`;
}
