/** Reads problems and their versions. */
import { sql } from "kysely";
import { compareTargets, publicProblem, sortedTargets, type Difficulty, type Problem } from "@kernelbot/core";
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
  tags: string[];
  /** Null if not declared. */
  difficulty: Difficulty | null;
}

/** SQL: targets of a problem whose boards accept submissions, unordered. */
export const OPEN_TARGETS = sql<string[]>`array(
    select target from board where board.problem = problem.name and accepts
  )`.as("open");

interface ProblemFilter {
  /** Return all problems of this competition, if the viewer may see it. */
  competition?: string | undefined;
  /** Words that must all occur in the name, the description, the set or the competition's name. */
  search?: string | undefined;
  tag?: string | undefined;
  difficulty?: Difficulty | undefined;
}

/** Lists the problems visible to the viewer, by name; only those of a range, counted from 1, if one is given. */
export async function listProblems(
  database: Database,
  viewer: Viewer,
  filter: ProblemFilter = {},
  range?: { from: number; to: number },
): Promise<ProblemSummary[]> {
  const rows = await matchingProblems(database, viewer, filter)
    .select(OPEN_TARGETS)
    .select(["problem.name", "problem.number", "problem.set_name", "problem.version", "problem.competition"])
    // The whole specifications of thousands of problems would take the event loop a second to parse.
    .select(sql<string>`problem_version.spec ->> 'description'`.as("description"))
    .select(sql<string[]>`array(select json_object_keys(problem_version.spec -> 'targets'))`.as("targets"))
    .select(TAGS.as("tags"))
    .select(sql<Difficulty | null>`problem_version.spec ->> 'difficulty'`.as("difficulty"))
    .orderBy("problem.name")
    .$if(range !== undefined, (query) => {
      const { from, to } = range as { from: number; to: number };
      return query.offset(from - 1).limit(to - from + 1);
    })
    .execute();
  return rows.map((row) => ({
    name: row.name,
    number: row.number,
    set: row.set_name,
    version: row.version,
    description: row.description,
    competition: row.competition,
    targets: row.targets.filter((target) => row.open.includes(target)).toSorted(compareTargets),
    tags: row.tags,
    difficulty: row.difficulty,
  }));
}

/** Returns the number of problems that `listProblems` lists. */
export async function countProblems(database: Database, viewer: Viewer, filter: ProblemFilter): Promise<number> {
  const { count } = await matchingProblems(database, viewer, filter)
    .select((build) => build.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Maximum number of practice problems on the front page. */
const MOST_PRACTICE = 100;

/**
 * Returns the names of the problems on the front page: all of competitions, and practice problems, those with entries
 * first; and the number of all practice problems.
 */
export async function listFrontProblems(
  { db }: Database,
  viewer: Viewer,
): Promise<{ names: string[]; practice: number }> {
  const visible = db.selectFrom("problem").where(inList(viewer, undefined));
  const practice = visible.where("competition", "is", null);
  const [competing, first, { count }] = await Promise.all([
    visible.where("competition", "is not", null).select("name").execute(),
    practice
      .select("name")
      .orderBy(sql`exists (select from ranking where ranking.problem = problem.name)`, "desc")
      .orderBy("name")
      .limit(MOST_PRACTICE)
      .execute(),
    practice.select((build) => build.fn.countAll<number>().as("count")).executeTakeFirstOrThrow(),
  ]);
  return { names: [...competing, ...first].map(({ name }) => name), practice: count };
}

/** SQL: the tags of a problem version. */
const TAGS = sql<string[]>`array(select json_array_elements_text(problem_version.spec -> 'tags'))`;

/** Returns the tags of all problems in the viewer's lists, by name. */
export async function listTags({ db }: Database, viewer: Viewer): Promise<string[]> {
  const rows = await db
    .selectFrom("problem")
    .innerJoin("problem_version", "problem_version.hash", "problem.version")
    .select(sql<string>`unnest(${TAGS})`.as("tag"))
    .distinct()
    .where(inList(viewer, undefined))
    .where(sql<boolean>`problem_version.spec -> 'tags' is not null`)
    .orderBy("tag")
    .execute();
  return rows.map(({ tag }) => tag);
}

function matchingProblems(
  { db }: Database,
  viewer: Viewer,
  { competition, search = "", tag, difficulty }: ProblemFilter,
) {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return db
    .selectFrom("problem")
    .innerJoin("problem_version", "problem_version.hash", "problem.version")
    .where(inList(viewer, competition))
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag} = any(${TAGS})`))
    .$if(difficulty !== undefined, (query) =>
      query.where(sql<boolean>`problem_version.spec ->> 'difficulty' = ${difficulty}`),
    )
    .where((of) =>
      of.and(
        words.map(
          (word) => sql<boolean>`position(${word} in lower(concat_ws(' ', problem.name, problem.set_name,
              problem.competition, problem_version.spec->>'description'))) > 0`,
        ),
      ),
    );
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
  const { description, tags = [], difficulty = null } = problem.spec;
  return {
    name,
    number: row.number,
    set: row.set_name,
    version: row.version,
    description,
    competition: row.competition,
    targets: sortedTargets(problem.spec),
    ...{ tags, difficulty, problem },
  };
}

/** Returns the numeric id of a problem. @throws if it does not exist. */
export async function numberOf({ db }: Database, name: string): Promise<number> {
  const row = await db.selectFrom("problem").select("number").where("name", "=", name).executeTakeFirstOrThrow();
  return row.number;
}

/** Returns what participants may read of a problem version, or null if it does not exist. */
export async function readProblemVersion(database: Database, hash: string): Promise<Problem | null> {
  const problem = await readJudgedVersion(database, hash);
  return problem && publicProblem(problem);
}

/** Returns a whole problem version, for runners, or null if it does not exist. Cached, because versions never change. */
export async function readJudgedVersion(database: Database, hash: string): Promise<Problem | null> {
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
