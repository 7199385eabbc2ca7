/** Reads problems and their versions. */
import { sql } from "kysely";
import type { Problem } from "@kernelbot/core";
import { inList, reachable, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";

export interface ProblemSummary {
  name: string;
  /** Numeric id, for formats and clients that identify leaderboards by number. */
  number: number;
  /** Problem set that the problem belongs to. */
  set: string;
  version: string;
  description: string;
  /** Competition of the problem; null for practice. */
  competition: string | null;
  /** Targets whose boards accept submissions. */
  targets: string[];
}

/** SQL: targets of a problem whose boards accept submissions, unordered. */
export const OPEN_TARGETS = sql<string[]>`array(
    select target from board where board.problem = problem.name and accepts
  )`.as("open");

export interface ProblemFilter {
  /** Return all problems of this competition, if the viewer may see it. */
  competition?: string | undefined;
  /** Words that must all occur in the name, the description, the set or the competition's name. */
  search?: string | undefined;
}

/** Lists the problems visible to the viewer, by name. */
export async function listProblems(
  { db }: Database,
  viewer: Viewer,
  { competition, search = "" }: ProblemFilter = {},
): Promise<ProblemSummary[]> {
  const words = search.toLowerCase().split(/\s+/);
  const rows = await db
    .selectFrom("problem")
    .innerJoin("problem_version", "problem_version.hash", "problem.version")
    .select(OPEN_TARGETS)
    .select(["problem.name", "problem.number", "problem.set_name", "problem.version", "problem_version.spec"])
    .select("problem.competition")
    .where(inList(viewer, competition))
    .where((of) =>
      of.and(
        words.map(
          (word) => sql<boolean>`position(${word} in lower(concat_ws(' ', problem.name, problem.set_name,
              problem.competition, problem_version.spec->>'description'))) > 0`,
        ),
      ),
    )
    .orderBy("problem.name")
    .execute();
  return rows.map((row) => ({
    name: row.name,
    number: row.number,
    set: row.set_name,
    version: row.version,
    description: row.spec.description,
    competition: row.competition,
    targets: Object.keys(row.spec.targets).filter((target) => row.open.includes(target)),
  }));
}

/** Returns the current version of a problem, or null if the viewer may not see it. */
export async function readProblem(
  database: Database,
  viewer: Viewer,
  name: string,
): Promise<(ProblemSummary & { problem: Problem }) | null> {
  const row = await database.db
    .selectFrom("problem")
    .selectAll()
    .where("name", "=", name)
    .where(reachable(viewer, "problem.competition"))
    .executeTakeFirst();
  if (row === undefined) return null;
  const problem = await readProblemVersion(database, row.version);
  if (problem === null) return null;
  const { description, targets } = problem.spec;
  return {
    name,
    number: row.number,
    set: row.set_name,
    version: row.version,
    description,
    competition: row.competition,
    targets: Object.keys(targets),
    problem,
  };
}

/** Returns the numeric id of a problem. @throws if it does not exist. */
export async function numberOf({ db }: Database, name: string): Promise<number> {
  const row = await db.selectFrom("problem").select("number").where("name", "=", name).executeTakeFirstOrThrow();
  return row.number;
}

/** Returns a problem version by its hash, or null if it does not exist. Cached, because versions never change. */
export async function readProblemVersion(database: Database, hash: string): Promise<Problem | null> {
  const memory = remembered(database);
  const known = memory.get(hash);
  if (known !== undefined) return known;
  const row = await database.db
    .selectFrom("problem_version")
    .select(["spec", "files"])
    .where("hash", "=", hash)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(hash, row);
  return row;
}

/** Size of the cache: enough for a KernelBench suite and other problems. */
const MAX_REMEMBERED = 512;
const remembered = perDatabase(() => new Map<string, Problem>());
