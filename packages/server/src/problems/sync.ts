/** Brings the database up to date with a tree of problem directories: ROOT/SET/PROBLEM/task.yml. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError, problemVersion, quote, type Problem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { json } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import { loadProblemDirectory } from "./directory.ts";

export interface Synced {
  problems: { name: string; version: string; changed: boolean }[];
  /** What could not be taken, and why; the version before stays in force. */
  broken: { path: string; message: string }[];
}

/** Takes every problem below `root`. A broken one is reported and stops no other. */
export async function syncProblems(database: Database, root: string): Promise<Synced> {
  const synced: Synced = { problems: [], broken: [] };
  const setOf = new Map<string, string>();
  for (const { set, name, path } of await problemDirectories(root)) {
    try {
      const before = setOf.get(name);
      if (before !== undefined) {
        throw new KernelBotError("conflict", `problem ${quote(name)} is in the set ${quote(before)} already`);
      }
      const problem = await loadProblemDirectory(path);
      setOf.set(name, set);
      const version = await problemVersion(problem);
      const changed = await retrying(() => storeProblem(database, set, problem, version));
      synced.problems.push({ name, version, changed });
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
      synced.broken.push({ path, message: error.message });
    }
  }
  return synced;
}

/** Makes a problem's version the current one, and its boards. @returns whether anything changed. */
async function storeProblem({ db }: Database, set: string, problem: Problem, version: string): Promise<boolean> {
  const { name, targets } = problem.spec;
  return db.transaction().execute(async (transaction) => {
    const before = await transaction
      .selectFrom("problem")
      .select(["version", "set_name"])
      .where("name", "=", name)
      .forUpdate()
      .executeTakeFirst();
    if (before?.version === version && before.set_name === set) return false;
    await transaction
      .insertInto("problem_version")
      .values({ hash: version, problem: name, spec: json(problem.spec), files: json(problem.files) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await transaction
      .insertInto("problem")
      .values({ name, set_name: set, version })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ set_name: set, version, updated_at: new Date() }))
      .execute();
    await transaction
      .insertInto("seed_master")
      .values({ problem: name })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await transaction.updateTable("board").set({ accepts: false }).where("problem", "=", name).execute();
    await transaction
      .insertInto("board")
      .values(Object.keys(targets).map((target) => ({ problem: name, target, accepts: true })))
      .onConflict((conflict) => conflict.columns(["problem", "target"]).doUpdateSet({ accepts: true }))
      .execute();
    return true;
  });
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
