/** Submissions of the source that do not exist here, batch by batch, so that a move that was interrupted continues. */
import { sql } from "kysely";
import type { Progress } from "@kernelbot/server/src/operations/progress.ts";
import { convert, type AdoptedSubmission } from "./convert.ts";
import type { Destination } from "./destination.ts";
import type { Report } from "./report.ts";
import type { Source, SubmissionState } from "./source.ts";
import { writeSubmissions, type WriteContext } from "./write-submissions.ts";

interface SubmissionCounts {
  submissions: number;
  runs: number;
  /** Submissions that an earlier pass imported. */
  known: number;
  /** Submissions that had not finished, which a later pass imports. */
  unfinished: number;
}

interface SubmissionAdoption extends WriteContext {
  destination: Destination;
  report: Report;
  progress: Progress;
}

const BATCH = 500;
/** Numbers that stay free after those of the source, for the submissions that it still gets. */
const RESERVED = 100_000;

/** Imports the submissions that do not exist here. */
export async function adoptSubmissions(
  adoption: SubmissionAdoption,
  origin: Source,
  states: readonly SubmissionState[],
  includeUnfinished: boolean,
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
  await reserveNumbers(adoption.destination, last);
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
    const written = await write(adoption, converted);
    counts.submissions += written.submissions;
    counts.runs += written.runs;
  }
  return counts;
}

async function write(adoption: SubmissionAdoption, submissions: readonly AdoptedSubmission[]) {
  const written = await adoption.destination.step((transaction) =>
    writeSubmissions(transaction, adoption, submissions),
  );
  for (const { number, id } of written.renumbered) {
    adoption.report.change("submission", number, "id", `a submission of this server has the number; it is ${id} here`);
  }
  return written;
}

/** Returns the numbers of the submissions that earlier passes imported. */
async function listKnown({ destination, source }: SubmissionAdoption): Promise<Set<number>> {
  const rows = await destination.db
    .selectFrom("imported_run")
    .select("submission_number")
    .distinct()
    .where("source", "=", source)
    .execute();
  return new Set(rows.map((row) => row.submission_number));
}

/** Lets the numbers of new submissions here begin after those of the source. */
async function reserveNumbers({ db }: Destination, last: number): Promise<void> {
  const from = Math.ceil((last + RESERVED) / RESERVED) * RESERVED;
  await sql`select setval(pg_get_serial_sequence('submission', 'id'), ${from}::bigint)
    where (select last_value from pg_sequences where schemaname = 'public' and sequencename = 'submission_id_seq') is null
      or (select last_value from pg_sequences where schemaname = 'public' and sequencename = 'submission_id_seq') < ${last}::bigint`.execute(
    db,
  );
}
