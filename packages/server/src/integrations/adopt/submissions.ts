/** Submissions of the source that do not exist here, batch by batch, so that a move that was interrupted continues. */
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { audit } from "../../auth/audit.ts";
import type { Progress } from "../../operations/progress.ts";
import { convert, disqualification, type AdoptedSubmission } from "./convert.ts";
import type { Report } from "./report.ts";
import type { Source, SubmissionState } from "./source.ts";
import { writeSubmissions, type WriteContext } from "./write-submissions.ts";

export interface SubmissionCounts {
  submissions: number;
  runs: number;
  /** Submissions that an earlier pass imported. */
  known: number;
  /** Submissions that had not finished, which a later pass imports. */
  unfinished: number;
}

export interface SubmissionAdoption extends WriteContext {
  database: Database;
  report: Report;
  progress: Progress;
}

export interface PassOptions {
  isDryRun: boolean;
  /** Also imports submissions that have not finished. */
  includeUnfinished: boolean;
}

const BATCH = 500;
/** Numbers that stay free after those of the source, for the submissions that it still gets. */
const RESERVED = 100_000;

/** Imports the submissions that do not exist here. */
export async function adoptSubmissions(
  adoption: SubmissionAdoption,
  origin: Source,
  states: readonly SubmissionState[],
  { isDryRun, includeUnfinished }: PassOptions,
): Promise<SubmissionCounts> {
  const { report, progress } = adoption;
  const known = await listKnown(adoption);
  const missing = states.filter(({ id }) => !known.has(id));
  const ready = missing.filter(({ done }) => done || includeUnfinished);
  const counts = {
    submissions: 0,
    runs: 0,
    known: states.length - missing.length,
    unfinished: missing.length - ready.length,
  };
  const last = states.at(-1)?.id ?? 0;
  if (ready.length === 0) return counts;
  if (!isDryRun) await reserveNumbers(adoption.database, last);
  const runIds = await origin.listRunIds();
  const batches = Array.from({ length: Math.ceil(ready.length / BATCH) }, (_, at) =>
    ready.slice(at * BATCH, (at + 1) * BATCH).map(({ id }) => id),
  );
  const read = (ids: readonly number[]) =>
    origin.readSubmissions(
      ids,
      ids.flatMap((id) => runIds.get(id) ?? []),
    );
  let next = read(batches[0] ?? []);
  for (const [at] of batches.entries()) {
    const batch = await next;
    // Read while this batch is written.
    next = read(batches[at + 1] ?? []);
    next.catch(() => undefined);
    progress.begin(`submission ${(at * BATCH).toLocaleString("en-US")} of ${ready.length.toLocaleString("en-US")}`);
    const converted = batch.submissions.flatMap((row) => {
      const board = adoption.boards.get(row.leaderboard_id);
      if (board === undefined) {
        report.skip("submission", row.id, "leaderboard_id", `the leaderboard ${row.leaderboard_id} was not imported`);
        return [];
      }
      if (!adoption.accounts.has(row.user_id)) {
        report.skip("submission", row.id, "user_id", `the user ${row.user_id} was not imported`);
        return [];
      }
      return convert(row, batch.runs.get(row.id) ?? [], { targets: board.targets, report }) ?? [];
    });
    const written = isDryRun ? countOf(converted) : await write(adoption, converted);
    counts.submissions += written.submissions;
    counts.runs += written.runs;
  }
  return counts;
}

function countOf(submissions: readonly AdoptedSubmission[]): { submissions: number; runs: number } {
  return { submissions: submissions.length, runs: submissions.reduce((sum, { runs }) => sum + runs.length, 0) };
}

async function write(adoption: SubmissionAdoption, submissions: readonly AdoptedSubmission[]) {
  const written = await runTransaction(idempotent(adoption.database.db), (transaction) =>
    writeSubmissions(transaction, adoption, submissions),
  );
  for (const { number, id } of written.renumbered) {
    adoption.report.change("submission", number, "id", `a submission of this server has the number; it is ${id} here`);
  }
  return written;
}

/** Returns the numbers of the submissions that earlier passes imported. */
async function listKnown({ database, source }: SubmissionAdoption): Promise<Set<number>> {
  const rows = await database.db
    .selectFrom("imported_run")
    .select("submission_number")
    .distinct()
    .where("source", "=", source)
    .execute();
  return new Set(rows.map((row) => row.submission_number));
}

/** Lets the numbers of new submissions here begin after those of the source. */
async function reserveNumbers(database: Database, last: number): Promise<void> {
  const from = Math.ceil((last + RESERVED) / RESERVED) * RESERVED;
  await sql`select setval(pg_get_serial_sequence('submission', 'id'), ${from}::bigint)
    where (select last_value from pg_sequences where schemaname = 'public' and sequencename = 'submission_id_seq') is null
      or (select last_value from pg_sequences where schemaname = 'public' and sequencename = 'submission_id_seq') < ${last}::bigint`.execute(
    database.db,
  );
}

/**
 * Removes submissions that were disqualified or deleted at the source after they were imported.
 * @returns the number of removed submissions.
 */
export async function removeSubmissions(
  { database, identity, source }: SubmissionAdoption,
  states: readonly SubmissionState[],
): Promise<number> {
  const numbers = JSON.stringify(states.map(({ id }) => id));
  const disqualified = states.flatMap((state) => {
    const reason = disqualification(state);
    return reason === null ? [] : [{ number: state.id, reason }];
  });
  return runTransaction(idempotent(database.db), async (transaction) => {
    const { rows } = await sql<{ id: number }>`
      with here as materialized (
        select distinct i.submission_number as number, r.submission_id as id from imported_run i join run r on r.id = i.run_id
        where i.source = ${source}
      ), gone as (
        select id, null as reason from here where number not in (select value::bigint from json_array_elements_text(${numbers}::text::json))
        union all
        select here.id, d.reason from here join json_to_recordset(${JSON.stringify(disqualified)}::text::json) as d (number bigint, reason text)
          using (number)
      )
      update submission s set removed_at = now(), removed_by = case when gone.reason is null then s.account_id else ${identity.account.id} end,
        removal_reason = gone.reason
      from gone where s.id = gone.id and s.removed_at is null
      returning s.id`.execute(transaction);
    if (rows.length > 0)
      await audit(transaction, identity, "remove", `source ${source}`, { submissions: rows.map(({ id }) => id) });
    return rows.length;
  });
}
