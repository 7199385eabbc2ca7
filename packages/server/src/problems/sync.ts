/** Brings the database up to date with a tree of problem directories: ROOT/SET/PROBLEM/task.yml. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError, problemVersion, quote, type ProblemVisibility } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import { loadProblemDirectory } from "./directory.ts";
import { storeProblem, type StoreOptions } from "./store.ts";
import { ensureVisibility } from "./visibility.ts";

export interface Synced {
  problems: { name: string; version: string; created: boolean; changed: boolean }[];
  /** What could not be taken, and why; the version before stays in force. */
  broken: { path: string; message: string }[];
  /** What was left as it is, and why. */
  kept: { name: string; message: string }[];
}

export interface SyncOptions extends StoreOptions {
  /** Which directories are taken; all of them unless told. */
  only?: (set: string, name: string) => boolean;
  /** The visibility that each problem must have afterwards, and the organiser of the competitions that this creates. */
  visibility?: { wanted: ProblemVisibility; identity: Identity };
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
        database.db.transaction().execute(async (transaction) => {
          const result = await storeProblem(transaction, { set, suite: null, problem, version }, options);
          if (options.visibility !== undefined) {
            const { wanted, identity } = options.visibility;
            await ensureVisibility(transaction, identity, wanted, {
              name,
              isNew: "created" in result && result.created,
            });
          }
          return result;
        }),
      );
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

/** The directories ROOT/SET/PROBLEM with a `task.yml`, in order of set and name. */
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
