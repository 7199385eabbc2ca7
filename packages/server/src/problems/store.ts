/** One problem's way into the database. */
import type { Transaction } from "kysely";
import { KernelBotError, problemChanges, quote, type Change, type Problem } from "@kernelbot/core";
import { json } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

export interface StoredProblem {
  set: string;
  /** The KernelBench suite that it belongs to; null for all others. */
  suite: string | null;
  problem: Problem;
  version: string;
}

/** Where a version comes from. */
export interface Origin {
  /** Null for the server's own folder. */
  source: string | null;
  /** Which state of the source it is. */
  revision: string | null;
  /** Who brings it; null where the server starts. */
  accountId: string | null;
}

const OWN_FOLDER: Origin = { source: null, revision: null, accountId: null };

export interface StoreOptions {
  origin?: Origin;
  /** Leaves a problem as it is where a new version would begin a board anew that has entries. */
  keepRanked?: boolean;
  /** Leaves a problem as it is that comes from elsewhere. */
  keepForeign?: boolean;
  /** Opens boards again that were taken away, though their problem is as it was. */
  reopen?: boolean;
}

export type Stored = { created: boolean; changed: boolean; changes: Change[] } | { kept: string };

/**
 * Makes a problem's version the current one, and its boards, unless it is to be kept as it is.
 * @throws KernelBotError `conflict` where the name is that of another suite's problem, of one that is in none, or of an imported one.
 */
export async function storeProblem(
  transaction: Transaction<Tables>,
  { set, suite, problem, version }: StoredProblem,
  { origin = OWN_FOLDER, keepRanked = false, keepForeign = false, reopen = false }: StoreOptions = {},
): Promise<Stored> {
  const { name, targets } = problem.spec;
  const before = await transaction
    .selectFrom("problem")
    .innerJoin("problem_version as v", "v.hash", "problem.version")
    .select(["version", "set_name", "suite", "source", "v.spec", "v.files"])
    .where("name", "=", name)
    .forNoKeyUpdate("problem")
    .executeTakeFirst();
  if (before !== undefined && before.suite !== suite) {
    const whose = before.suite === null ? "is in no suite" : `belongs to the suite ${before.suite}`;
    throw new KernelBotError("conflict", `there is a problem ${quote(name)} already, which ${whose}`);
  }
  await refuseImported(transaction, name);
  const changed = before?.version !== version || before.set_name !== set;
  if (changed && keepForeign && before !== undefined && before.source !== null) {
    return { kept: `it comes from ${before.source}` };
  }
  if (keepRanked && before !== undefined && before.version !== version && (await hasEntries(transaction, name))) {
    return { kept: "a new version would begin its board anew, which has entries" };
  }
  const changes = before === undefined ? [] : problemChanges(before, problem);
  const { source, revision, accountId } = origin;
  if (before !== undefined && before.source !== source && !keepForeign) {
    await transaction.updateTable("problem").set({ source }).where("name", "=", name).execute();
  }
  if (!changed && !reopen) return { created: false, changed, changes };
  await transaction.updateTable("board").set({ accepts: false }).where("problem", "=", name).execute();
  await transaction
    .insertInto("problem_version")
    .values({ hash: version, problem: name, spec: json(problem.spec), files: json(problem.files) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await transaction
    .insertInto("problem")
    .values({ name, set_name: set, suite, version, source })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ set_name: set, version, updated_at: new Date() }))
    .execute();
  await transaction
    .insertInto("seed_master")
    .values({ problem: name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await transaction
    .insertInto("board")
    .values(Object.keys(targets).map((target) => ({ problem: name, target, accepts: true })))
    .onConflict((conflict) => conflict.columns(["problem", "target"]).doUpdateSet({ accepts: true }))
    .execute();
  if (before?.version !== version) {
    await transaction
      .insertInto("problem_change")
      .values({ problem: name, version, account_id: accountId, source, revision, changes: json(changes) })
      .execute();
  }
  return { created: before === undefined, changed, changes };
}

async function refuseImported(transaction: Transaction<Tables>, name: string): Promise<void> {
  const imported = await transaction
    .selectFrom("imported_problem")
    .select("source")
    .where("problem", "=", name)
    .executeTakeFirst();
  if (imported === undefined) return;
  throw new KernelBotError(
    "conflict",
    `there is a problem ${quote(name)} already, which was imported from ${imported.source}; give this one another name`,
  );
}

async function hasEntries(transaction: Transaction<Tables>, name: string): Promise<boolean> {
  const rows = await transaction
    .selectFrom("counted_entry")
    .select("run_id")
    .where("problem", "=", name)
    .limit(1)
    .execute();
  return rows.length > 0;
}
