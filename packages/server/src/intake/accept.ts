/**
 * Commits submissions: those that come while a commit is under way share the next one. A commit waits for the disk, and all
 * submissions of one account wait for its place in the fair queue, so one by one would be slow where it matters.
 */
import { sql } from "kysely";
import type { Allowance, AuthorKind, Licence, Mode } from "@kernelbot/core";
import { commitsSoon, onDisk } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import { dispositionOf, retrying } from "../db/retry.ts";
import { afterwards, toAllowance, type AllowanceRow } from "./allowances.ts";

/** A submission that was checked. Hashes are SHA-256 in hexadecimal. */
export interface Item {
  accountId: string;
  board: string;
  /** Sorted, each once. */
  targets: readonly string[];
  mode: Mode;
  fileName: string;
  source: string;
  sourceHash: string;
  /** All three in a duel, else null. */
  rivalName: string | null;
  rivalSource: string | null;
  rivalHash: string | null;
  idempotencyKey: string;
  requestHash: string;
  authorKind: AuthorKind;
  model: string | null;
  licence: Licence | null;
  /** Null where the account decides. */
  anonymous: boolean | null;
  /** What its trace continues from; null where none is recorded. */
  traceparent: string | null;
}

/** What `accept_submissions` says of an item; see schema/functions/accept_submissions.sql. */
export type Acceptance =
  | { outcome: "created"; submissionId: number; version: string; at: Date; runIds: number[]; allowances: Allowance[] }
  | { outcome: "repeated" | "conflict"; submissionId: number }
  | { outcome: "refused" };

/** Bounds of one commit, so that no one waits long for others and a message stays small. */
const MAX_ITEMS = 64;
const MAX_SOURCE_CHARACTERS = 4_000_000;

interface Waiting {
  item: Item;
  resolve: (acceptance: Acceptance) => void;
  reject: (error: unknown) => void;
}

/** Returns a function that resolves once its item is committed, or known to be refused. */
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

/** Never rejects: each of the batch hears of its own outcome. */
async function commit(database: Database, batch: readonly Waiting[]): Promise<void> {
  // In order of account, so that two servers which commit at once take the same rows in the same order.
  const ordered = batch.toSorted((a, b) => (a.item.accountId < b.item.accountId ? -1 : 1));
  try {
    const acceptances = await retrying(() => accept(database, ordered));
    ordered.forEach((waiting, index) => waiting.resolve(acceptances[index] as Acceptance));
  } catch (error) {
    if (batch.length === 1 || dispositionOf(error) !== "fault") {
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    // What one cannot be stored must not fail the others.
    for (const waiting of batch) await commit(database, [waiting]);
  }
}

interface Created {
  item: number;
  submission_id: number;
  version: string;
  at: Date;
  run_ids: number[];
  /** As they were before it; null where nothing is limited. */
  allowances: AllowanceRow[] | null;
}

async function accept(database: Database, batch: readonly Waiting[]): Promise<Acceptance[]> {
  const items = jsonText(batch.map(({ item }) => item));
  // That is null but where traces are recorded. The row of the submission is seen when the statement ends, by its key.
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
  // Also where all are repeated: what was stored just before is as good as told now.
  const { rows } = await onDisk(
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

/** Those of the items that have one, by the place of the item. */
function traceparents(batch: readonly Waiting[]): string {
  const all = batch.map(({ item: { traceparent } }, index) => ({ n: index + 1, traceparent }));
  return JSON.stringify(all.filter(({ traceparent }) => traceparent !== null));
}

/** An item that is not created has a key that was used before, or asks for what the board does not take. */
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
