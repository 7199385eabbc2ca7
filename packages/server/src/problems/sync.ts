/**
 * Synchronizes the database with a tree of problem directories: ROOT/SET/PROBLEM/task.yml. Competition files at the root
 * name problems and their targets; the competitions are not created.
 */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  KernelBotError,
  listedDirectories,
  problemVersion,
  quote,
  type ListedDirectory,
  type ProblemVisibility,
} from "@kernelbot/core";
import { readCompetitionFiles } from "@kernelbot/tester/competition-files";
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

interface SyncOptions extends StoreOptions {
  /** Filter of directories; default: all. */
  only?: (directory: FoundDirectory) => boolean;
  /** Visibility that each problem must have afterwards, and the organiser of competitions that are created for it. */
  visibility?: { requested: ProblemVisibility; identity: Identity };
}

/** Number of problems that are stored at the same time: the database commits their transactions together. */
const CONCURRENT = 8;

/** Syncs the problems below `root`. An invalid problem is reported and does not stop the others. */
export async function syncProblems(database: Database, root: string, options: SyncOptions = {}): Promise<Synced> {
  const { keepForeign = false, reopen = false, visibility, only } = options;
  const directories = (await problemDirectories(root)).filter((directory) => only?.(directory) !== false);
  // At its start, a server finds most problems unchanged: one query finds out instead of a transaction for each.
  const isUnchanged = keepForeign && !reopen && visibility === undefined ? await readUnchanged(database) : () => false;
  const outcomes = new Map<string, Outcome>();
  // Directories of one name belong together, because the first valid one gets the name.
  const groups = Map.groupBy(directories, ({ name }) => name).values();
  const work = async (): Promise<void> => {
    for (const group of groups) {
      let taken: string | null = null;
      for (const directory of group) {
        const outcome = await syncDirectory(database, directory, { ...options, taken, isUnchanged });
        if (!("broken" in outcome)) taken ??= directory.set;
        outcomes.set(`${directory.path} ${directory.name}`, outcome);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  const all = directories.flatMap(({ path, name }) => outcomes.get(`${path} ${name}`) ?? []);
  return {
    problems: all.flatMap((outcome) => ("problem" in outcome ? [outcome.problem] : [])),
    broken: all.flatMap((outcome) => ("broken" in outcome ? [outcome.broken] : [])),
    kept: all.flatMap((outcome) => ("kept" in outcome ? [outcome.kept] : [])),
  };
}

type Outcome =
  { problem: Synced["problems"][number] } | { broken: Synced["broken"][number] } | { kept: Synced["kept"][number] };

/** Directory ROOT/SET/PROBLEM. */
export interface FoundDirectory {
  set: string;
  /** Name that a competition file states, else that of the directory. */
  name: string;
  path: string;
  listed: ListedDirectory | null;
}

/** Syncs the problem of a directory. @param taken Set that has the name already; null if none has. */
async function syncDirectory(
  database: Database,
  { set, name, path, listed }: FoundDirectory,
  { taken, isUnchanged, ...options }: SyncOptions & { taken: string | null; isUnchanged: (stored: Stored) => boolean },
): Promise<Outcome> {
  try {
    if (taken !== null) {
      throw new KernelBotError("conflict", `problem ${quote(name)} is already in the set ${quote(taken)}`);
    }
    const problem = await loadProblemDirectory(path, { listed });
    const version = await problemVersion(problem);
    if (isUnchanged({ set, name, version })) return { problem: { name, version, created: false, changed: false } };
    const stored = await runTransaction(idempotent(database.db), async (transaction) => {
      const result = await storeProblem(transaction, { set, suite: null, problem, version }, options);
      if (options.visibility !== undefined) {
        const { requested, identity } = options.visibility;
        const isNew = "created" in result && result.created;
        await ensureVisibility(transaction, identity, requested, { name, isNew });
      }
      return result;
    });
    if ("kept" in stored) return { kept: { name, message: stored.kept } };
    return { problem: { name, version, created: stored.created, changed: stored.changed } };
  } catch (error) {
    if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
    return { broken: { path, message: error.message } };
  }
}

interface Stored {
  set: string;
  name: string;
  version: string;
}

/** Returns whether a problem is stored as it is, so that `storeProblem` would change nothing. */
async function readUnchanged({ db }: Database) {
  const rows = await db
    .selectFrom("problem")
    .leftJoin("imported_problem", "imported_problem.problem", "problem.name")
    .select(["name", "set_name", "version"])
    .where("suite", "is", null)
    .where("imported_problem.problem", "is", null)
    .execute();
  const stored = new Set(rows.map(({ name, set_name, version }) => `${set_name}/${name} ${version}`));
  return ({ set, name, version }: Stored): boolean => stored.has(`${set}/${name} ${version}`);
}

/** Lists the directories ROOT/SET/PROBLEM that have a `task.yml`, by set and name. */
export async function problemDirectories(root: string): Promise<FoundDirectory[]> {
  const listed = Map.groupBy(listedDirectories(readCompetitionFiles(root)), ({ directory }) => directory);
  const found: FoundDirectory[] = [];
  for (const set of await subdirectories(root)) {
    for (const name of await subdirectories(join(root, set))) {
      const path = join(root, set, name);
      if (!existsSync(join(path, "task.yml"))) continue;
      const listings = listed.get(`${set}/${name}`) ?? [null];
      found.push(...listings.map((one) => ({ set, name: one?.name ?? name, path, listed: one })));
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
