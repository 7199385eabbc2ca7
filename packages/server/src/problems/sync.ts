/** Synchronizes the database with a tree of problem directories: ROOT/SET/PROBLEM/task.yml. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError, problemVersion, quote, type ProblemVisibility } from "@kernelbot/core";
import { loadProblemDirectory } from "@kernelbot/tester/problem-directory";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import type { Identity } from "../auth/identity.ts";
import { storeProblem, type StoreOptions } from "./store.ts";
import { ensureVisibility } from "./visibility.ts";

export interface Synced {
  problems: { name: string; version: string; created: boolean; changed: boolean }[];
  /** Directories that could not be synced, with the error; the previous version stays current. */
  broken: { path: string; message: string }[];
  /** Problems that were kept as they are, with the reason. */
  kept: { name: string; message: string }[];
}

export interface SyncOptions extends StoreOptions {
  /** Filter of directories; default: all. */
  only?: (set: string, name: string) => boolean;
  /** Visibility that each problem must have afterwards, and the organiser of competitions that are created for it. */
  visibility?: { requested: ProblemVisibility; identity: Identity };
}

/** Syncs the problems below `root`. An invalid problem is reported and does not stop the others. */
export async function syncProblems(database: Database, root: string, options: SyncOptions = {}): Promise<Synced> {
  const synced: Synced = { problems: [], broken: [], kept: [] };
  const setOf = new Map<string, string>();
  for (const { set, name, path } of await problemDirectories(root)) {
    if (options.only?.(set, name) === false) continue;
    try {
      const before = setOf.get(name);
      if (before !== undefined) {
        throw new KernelBotError("conflict", `problem ${quote(name)} is already in the set ${quote(before)}`);
      }
      const problem = await loadProblemDirectory(path);
      setOf.set(name, set);
      const version = await problemVersion(problem);
      const stored = await runTransaction(idempotent(database.db), async (transaction) => {
        const result = await storeProblem(transaction, { set, suite: null, problem, version }, options);
        if (options.visibility !== undefined) {
          const { requested, identity } = options.visibility;
          await ensureVisibility(transaction, identity, requested, {
            name,
            isNew: "created" in result && result.created,
          });
        }
        return result;
      });
      if ("kept" in stored) {
        synced.kept.push({ name, message: stored.kept });
      } else {
        synced.problems.push({ name, version, created: stored.created, changed: stored.changed });
      }
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
      synced.broken.push({ path, message: error.message });
    }
  }
  return synced;
}

/** Lists the directories ROOT/SET/PROBLEM that have a `task.yml`, by set and name. */
export async function problemDirectories(root: string): Promise<{ set: string; name: string; path: string }[]> {
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
