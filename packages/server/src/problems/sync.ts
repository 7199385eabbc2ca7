/** Brings the database up to date with a tree of problem directories: ROOT/SET/PROBLEM/task.yml. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Transaction } from "kysely";
import { KernelBotError, problemVersion, quote, type Problem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { json } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { loadProblemDirectory } from "./directory.ts";

export interface Synced {
  problems: { name: string; version: string; created: boolean; changed: boolean }[];
  /** What could not be taken, and why; the version before stays in force. */
  broken: { path: string; message: string }[];
  /** What was left as it is, and why. */
  kept: { name: string; message: string }[];
}

export interface SyncOptions {
  /** Which directories are taken; all of them unless told. */
  only?: (set: string, name: string) => boolean;
  /** Leaves a problem as it is where a new version would begin a board anew that has entries. */
  keepRanked?: boolean;
  /** Opens boards again that were taken away, though their problem is as it was. */
  reopen?: boolean;
}

/** Takes the problems below `root`. A broken one is reported and stops no other. */
export async function syncProblems(database: Database, root: string, options: SyncOptions = {}): Promise<Synced> {
  const synced: Synced = { problems: [], broken: [], kept: [] };
  const setOf = new Map<string, string>();
  for (const { set, name, path } of await problemDirectories(root)) {
    if (options.only?.(set, name) === false) continue;
    try {
      const before = setOf.get(name);
      if (before !== undefined) {
        throw new KernelBotError("conflict", `problem ${quote(name)} is in the set ${quote(before)} already`);
      }
      const problem = await loadProblemDirectory(path);
      setOf.set(name, set);
      const version = await problemVersion(problem);
      const stored = await retrying(() =>
        database.db
          .transaction()
          .execute((transaction) => storeProblem(transaction, { set, suite: null, problem, version }, options)),
      );
      if (stored === "kept") {
        synced.kept.push({ name, message: "a new version would begin its board anew, which has entries" });
      } else {
        synced.problems.push({ name, version, ...stored });
      }
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
      synced.broken.push({ path, message: error.message });
    }
  }
  return synced;
}

export interface StoredProblem {
  set: string;
  /** The KernelBench suite that it belongs to; null for all others. */
  suite: string | null;
  problem: Problem;
  version: string;
}

/**
 * Makes a problem's version the current one, and its boards, unless its board has entries that are to be kept.
 * @throws KernelBotError `conflict` where the name is that of another suite's problem, of one that is in none, or of an imported one.
 */
export async function storeProblem(
  transaction: Transaction<Tables>,
  { set, suite, problem, version }: StoredProblem,
  { keepRanked = false, reopen = false }: SyncOptions = {},
): Promise<{ created: boolean; changed: boolean } | "kept"> {
  const { name, targets } = problem.spec;
  const before = await transaction
    .selectFrom("problem")
    .select(["version", "set_name", "suite"])
    .where("name", "=", name)
    .forUpdate()
    .executeTakeFirst();
  if (before !== undefined && before.suite !== suite) {
    const whose = before.suite === null ? "is in no suite" : `belongs to the suite ${before.suite}`;
    throw new KernelBotError("conflict", `there is a problem ${quote(name)} already, which ${whose}`);
  }
  const imported = await transaction
    .selectFrom("imported_problem")
    .select("source")
    .where("problem", "=", name)
    .executeTakeFirst();
  if (imported !== undefined) {
    throw new KernelBotError(
      "conflict",
      `there is a problem ${quote(name)} already, which was imported from ${imported.source}; give this one another name`,
    );
  }
  if (keepRanked && before !== undefined && before.version !== version) {
    const entry = await transaction
      .selectFrom("board_entry")
      .select("run_id")
      .where("problem", "=", name)
      .limit(1)
      .execute();
    if (entry.length > 0) return "kept";
  }
  const changed = before?.version !== version || before.set_name !== set;
  if (!changed && !reopen) return { created: false, changed };
  await transaction.updateTable("board").set({ accepts: false }).where("problem", "=", name).execute();
  await transaction
    .insertInto("problem_version")
    .values({ hash: version, problem: name, spec: json(problem.spec), files: json(problem.files) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await transaction
    .insertInto("problem")
    .values({ name, set_name: set, suite, version })
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
  return { created: before === undefined, changed };
}

async function problemDirectories(root: string): Promise<{ set: string; name: string; path: string }[]> {
  const found = [];
  for (const set of await subdirectories(root)) {
    for (const name of await subdirectories(join(root, set))) {
      const path = join(root, set, name);
      if (existsSync(join(path, "task.yml"))) found.push({ set, name, path });
    }
  }
  return found;
}

async function subdirectories(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .toSorted();
}
