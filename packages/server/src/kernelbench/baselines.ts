/** Stored baselines: times of reference models measured at another time, by which entries can be scored. */
import {
  baselineTimes,
  canonicalJson,
  KernelBotError,
  quote,
  type BaselineChoice,
  type BaselineTime,
  type BaselineUpload,
  type StoredBaseline,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { json } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";

/**
 * Stores a baseline permanently. Idempotent: the same baseline under the same id changes nothing.
 * @throws KernelBotError `forbidden` for callers other than organisers; `unprocessable` when the file contains no time,
 * or two of one problem; `conflict` when the id belongs to another baseline.
 */
export async function putBaseline(
  database: Database,
  identity: Identity,
  { id, hardware, kind, file }: BaselineUpload,
): Promise<StoredBaseline> {
  requireRole(identity, "organiser");
  const { times } = baselineTimes(file);
  if (times.length === 0) {
    throw new KernelBotError("unprocessable", "file: contains no times; levels must be named level1 to level3");
  }
  const baseline = { id, hardware, kind, times };
  await runTransaction(idempotent(database.db), async (transaction) => {
    const { numInsertedOrUpdatedRows: inserted } = await transaction
      .insertInto("kernelbench_baseline")
      .values({ id, hardware, kind, times: json(times), account_id: identity.account.id })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (inserted === 1n) await audit(transaction, identity, "put", `baseline ${id}`, { hardware, kind });
  });
  const stored = await readBaseline(database, id);
  if (canonicalJson(stored) === canonicalJson(baseline)) return stored;
  throw new KernelBotError(
    "conflict",
    `another baseline has the id ${quote(id)}; stored baselines cannot be changed, choose another id`,
  );
}

/** Returns all stored baselines, ordered by id. */
export async function listBaselines({ db }: Database): Promise<StoredBaseline[]> {
  return db.selectFrom("kernelbench_baseline").select(["id", "hardware", "kind", "times"]).orderBy("id").execute();
}

/**
 * Returns the chosen stored baseline; null when the choice is a baseline of the same session.
 * @throws KernelBotError `not_found`.
 */
export async function getChosenBaseline(
  database: Database,
  choice: BaselineChoice | undefined,
): Promise<StoredBaseline | null> {
  return choice?.kind === "stored" ? readBaseline(database, choice.id) : null;
}

/**
 * Returns the times of the chosen stored baseline; an empty list when the choice is a baseline of the same session.
 * @throws KernelBotError `not_found`.
 */
export async function storedTimes(database: Database, choice: BaselineChoice): Promise<readonly BaselineTime[]> {
  return (await getChosenBaseline(database, choice))?.times ?? [];
}

/** Returns a stored baseline. @throws KernelBotError `not_found`. */
export async function readBaseline({ db }: Database, id: string): Promise<StoredBaseline> {
  const row = await db
    .selectFrom("kernelbench_baseline")
    .select(["id", "hardware", "kind", "times"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw new KernelBotError("not_found", `baseline ${quote(id)} does not exist`);
  return row;
}
