/** Commits validated submissions with their queued runs. */
import { KernelBotError, type Submission } from "@kernelbot/core";
import { sql } from "kysely";
import { asyncCommit, commitDurably } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import type { NewSubmission } from "./new-submission.ts";
import { readSubmissions } from "./views.ts";

/**
 * `repeated`: the same request was accepted before. `conflict`: another request used the key. `refused`: the board does
 * not accept the submission; see schema/functions/store_submissions.sql.
 */
export type Acceptance =
  | { outcome: "created" | "repeated"; submission: Submission }
  | { outcome: "conflict"; submissionId: number }
  | { outcome: "refused" };

/**
 * Stores submissions in one transaction, which is committed when the promise resolves. Returns the outcome of each.
 * Safe to repeat, since each has an idempotency key.
 */
export async function acceptAll(database: Database, items: readonly NewSubmission[]): Promise<Acceptance[]> {
  const accepted = sql<{ item: number; submission_id: number }>`
    select item, submission_id, ${asyncCommit()} as commits from accept_submissions(${jsonText(items)}::text::json)`;
  // Flush to disk even if every item is repeated: the original may have been committed just before, without a flush.
  const { rows } = await commitDurably(
    database.db,
    (connection) => accepted.execute(connection),
    () => true,
  );
  const created = new Map(rows.map((row) => [row.item - 1, row.submission_id]));
  const stored = await Promise.all(
    items.map(async (item, index): Promise<Stored> => {
      const submissionId = created.get(index);
      return submissionId === undefined ? explainNotCreated(database, item) : { outcome: "created", submissionId };
    }),
  );
  const submissions = await readSubmissions(
    database,
    stored.flatMap((each) => (each.outcome === "refused" ? [] : each.submissionId)),
  );
  return stored.map((each): Acceptance => {
    if (each.outcome === "refused" || each.outcome === "conflict") return each;
    const submission = submissions.find(({ id }) => id === each.submissionId);
    if (submission === undefined)
      throw new KernelBotError("internal", `submission ${each.submissionId} is missing from the database`);
    return { outcome: each.outcome, submission };
  });
}

type Stored =
  | { outcome: "created" | "repeated"; submissionId: number }
  | { outcome: "conflict"; submissionId: number }
  | { outcome: "refused" };

async function explainNotCreated({ db }: Database, item: NewSubmission): Promise<Stored> {
  const earlier = await db
    .selectFrom("submission")
    .select(["id", sql<boolean>`request_hash = ${item.request_hash}::text::bytea`.as("is_same")])
    .where("account_id", "=", item.account_id)
    .where("idempotency_key", "=", item.idempotency_key)
    .executeTakeFirst();
  if (earlier === undefined) return { outcome: "refused" };
  return { outcome: earlier.is_same ? "repeated" : "conflict", submissionId: earlier.id };
}
