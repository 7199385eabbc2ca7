/** The problems that the database knows. */
import { sql } from "kysely";
import type { Problem } from "@kernelbot/core";
import { inList, reachable, type Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { retrying } from "../db/retry.ts";

export interface ProblemSummary {
  name: string;
  /** For formats and clients in which a leaderboard has a number. */
  number: number;
  /** The problem set that it belongs to. */
  set: string;
  version: string;
  description: string;
  /** The competition that it is in; null for practice. */
  competition: string | null;
  /** The targets whose boards take submissions. */
  targets: string[];
}

/** SQL: the targets of a problem whose boards take submissions, in no order. */
export const OPEN_TARGETS = sql<string[]>`array(
    select target from board where board.problem = problem.name and accepts
  )`.as("open");

export interface ProblemFilter {
  /** All of its problems, where the viewer may see it. */
  competition?: string | undefined;
  /** Words that stand, each of them, in the name, the description, the set or the name of the competition. */
  search?: string | undefined;
}

/** The problems of the viewer's list in order of name. */
export async function listProblems(
  { db }: Database,
  viewer: Viewer,
  { competition, search = "" }: ProblemFilter = {},
): Promise<ProblemSummary[]> {
  const words = search.toLowerCase().split(/\s+/);
  const rows = await retrying(() =>
    db
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
      .execute(),
  );
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

/** A problem as it is now, or null where there is none for this viewer. */
export async function readProblem(
  database: Database,
  viewer: Viewer,
  name: string,
): Promise<(ProblemSummary & { problem: Problem }) | null> {
  const row = await retrying(() =>
    database.db
      .selectFrom("problem")
      .selectAll()
      .where("name", "=", name)
      .where(reachable(viewer, "problem.competition"))
      .executeTakeFirst(),
  );
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

/** The number of a problem. @throws where there is no such problem. */
export async function numberOf({ db }: Database, name: string): Promise<number> {
  const row = await retrying(() =>
    db.selectFrom("problem").select("number").where("name", "=", name).executeTakeFirstOrThrow(),
  );
  return row.number;
}

/** A version by its hash, or null where there is none. Remembered, since a version never changes. */
export async function readProblemVersion(database: Database, hash: string): Promise<Problem | null> {
  const memory = remembered(database);
  const known = memory.get(hash);
  if (known !== undefined) return known;
  const row = await retrying(() =>
    database.db.selectFrom("problem_version").select(["spec", "files"]).where("hash", "=", hash).executeTakeFirst(),
  );
  if (row === undefined) return null;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(hash, row);
  return row;
}

/** The problems of a suite of KernelBench, and others. */
const MAX_REMEMBERED = 512;
const remembered = perDatabase(() => new Map<string, Problem>());
