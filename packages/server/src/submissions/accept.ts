/**
 * Batches submissions: submissions that arrive during a commit share the next commit. Committing them one by one would
 * be slow, because each commit flushes to disk and all submissions of an account lock its row in the fair queue.
 */
import { sql } from "kysely";
import type { Allowance, AuthorKind, Licence, Mode } from "@kernelbot/core";
import { commitsSoon, commitDurably } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import { dispositionOf } from "../db/retry.ts";
import { afterwards, toAllowance, type AllowanceRow } from "./allowances.ts";

/** A validated submission, ready to be stored. Hashes are SHA-256 in hexadecimal. */
export interface Item {
  accountId: string;
  board: string;
  /** Sorted, without duplicates. */
  targets: readonly string[];
  mode: Mode;
  fileName: string;
  source: string;
  sourceHash: string;
  /** Name, source and hash of the second file. All three are set in a duel, else null. */
  rivalName: string | null;
  rivalSource: string | null;
  rivalHash: string | null;
  idempotencyKey: string;
  requestHash: string;
  authorKind: AuthorKind;
  model: string | null;
  licence: Licence | null;
  /** Null if the setting of the account applies. */
  anonymous: boolean | null;
  /** W3C `traceparent` of the span that accepted the submission; null if tracing is off. */
  traceparent: string | null;
}

/** Outcome of one item in `accept_submissions`; see schema/functions/accept_submissions.sql. */
export type Acceptance =
  | { outcome: "created"; submissionId: number; version: string; at: Date; runIds: number[]; allowances: Allowance[] }
  | { outcome: "repeated" | "conflict"; submissionId: number }
  | { outcome: "refused" };

/** Bounds of one batch. They limit how long a submission waits for the others and the size of the statement. */
const MAX_ITEMS = 64;
const MAX_SOURCE_CHARACTERS = 4_000_000;

interface Waiting {
  item: Item;
  resolve: (acceptance: Acceptance) => void;
  reject: (error: unknown) => void;
}

/** Returns a function that accepts an item and resolves once the item is committed or refused. */
export function acceptor(database: Database): (item: Item) => Promise<Acceptance> {
  const queue: Waiting[] = [];
  let busy = false;

  async function drain(): Promise<void> {
    busy = true;
    while (queue.length > 0) await commit(database, takeBatch(queue));
    busy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!busy) void drain();
    });
}

function takeBatch(queue: Waiting[]): Waiting[] {
  let characters = 0;
  let count = 0;
  for (const { item } of queue) {
    characters += item.source.length + (item.rivalSource?.length ?? 0);
    if (count > 0 && (count === MAX_ITEMS || characters > MAX_SOURCE_CHARACTERS)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Stores a batch and settles the promise of each of its items. Never rejects itself. */
async function commit(database: Database, batch: readonly Waiting[]): Promise<void> {
  // Ordered by account, so that servers that commit at the same time lock the same rows in the same order. Submissions of
  // one account stay in the order in which they arrived.
  const ordered = batch.toSorted(
    ({ item: { accountId: a } }, { item: { accountId: b } }) => Number(a > b) - Number(a < b),
  );
  try {
    const acceptances = await accept(database, ordered);
    ordered.forEach((waiting, index) => waiting.resolve(acceptances[index] as Acceptance));
  } catch (error) {
    if (batch.length === 1 || dispositionOf(error) !== "fault") {
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    // An item that cannot be stored must not fail the other items.
    for (const waiting of batch) await commit(database, [waiting]);
  }
}

interface Created {
  item: number;
  submission_id: number;
  version: string;
  at: Date;
  run_ids: number[];
  /** Usage before this item; null if no limit applies. */
  allowances: AllowanceRow[] | null;
}

async function accept(database: Database, batch: readonly Waiting[]): Promise<Acceptance[]> {
  const items = jsonText(batch.map(({ item }) => item));
  // The traces are stored in the same statement. The foreign key to the submission is checked when the statement ends.
  const accepted = sql<Created>`
    with accepted as materialized (
      select item, submission_id, version, at, run_ids, allowances from accept_submissions(${items}::text::json)
    ), traced as (
      insert into submission_trace (submission_id, traceparent)
      select submission_id, traceparent from accepted
      join json_to_recordset(${traceparents(batch)}::text::json) as t (n integer, traceparent text) on t.n = item
    )
    select accepted.*, ${commitsSoon()} as commits from accepted
  `;
  // Flush to disk even if every item is repeated: the original may have been committed just before, without a flush.
  const { rows } = await commitDurably(
    database.db,
    (connection) => accepted.execute(connection),
    () => true,
  );
  const created = new Map(rows.map((row) => [row.item - 1, row]));
  return Promise.all(
    batch.map(async ({ item }, index): Promise<Acceptance> => {
      const row = created.get(index);
      if (row === undefined) return notCreated(database, item);
      const { submission_id: submissionId, version, at, run_ids: runIds } = row;
      const allowances = (row.allowances ?? []).map((each) => afterwards(toAllowance(item, each), item));
      return { outcome: "created", submissionId, version, at, runIds, allowances };
    }),
  );
}

/** Returns the trace contexts of the items that have one as JSON, each with the 1-based position of its item. */
function traceparents(batch: readonly Waiting[]): string {
  const all = batch.map(({ item: { traceparent } }, index) => ({ n: index + 1, traceparent }));
  return JSON.stringify(all.filter(({ traceparent }) => traceparent !== null));
}

/** Returns why an item was not created: its idempotency key was used before, or the board refused it. */
async function notCreated({ db }: Database, item: Item): Promise<Acceptance> {
  const row = await db
    .selectFrom("submission")
    .select(["id", "request_hash"])
    .where("account_id", "=", item.accountId)
    .where("idempotency_key", "=", item.idempotencyKey)
    .executeTakeFirst();
  if (row === undefined) return { outcome: "refused" };
  const isSame = row.request_hash.toString("hex") === item.requestHash;
  return { outcome: isSame ? "repeated" : "conflict", submissionId: row.id };
}
