/** A problem with its boards, for pages and the API. */
import { sql } from "kysely";
import { compareTargets, type ProblemDetail } from "@kernelbot/core";
import { listBoardsOfProblem } from "./list.ts";
import type { Viewer } from "../auth/visibility.ts";
import { readLimits } from "../competitions/limits.ts";
import type { Database } from "../db/database.ts";
import { readChanges } from "../problems/changes.ts";
import { OPEN_TARGETS, readProblem } from "../problems/problems.ts";

/** Returns a problem with its boards and dates, or null if the viewer may not see it. */
export async function readProblemDetail(
  database: Database,
  viewer: Viewer,
  name: string,
): Promise<ProblemDetail | null> {
  const found = await readProblem(database, viewer, name);
  if (found === null) return null;
  const { problem, set, version } = found;
  const [about, boards, history, limits] = await Promise.all([
    readAbout(database, name, version),
    listBoardsOfProblem(database, viewer, name),
    readChanges(database, name),
    readLimits(database, name),
  ]);
  return {
    ...problem,
    ...{ set, version, limits },
    ...about,
    history: history.map(({ at, version, changes }) => ({ at, version, changes })),
    openTargets: about.openTargets.filter((target) => target in problem.spec.targets).toSorted(compareTargets),
    boards,
  };
}

async function readAbout({ db }: Database, name: string, version: string) {
  const row = await db
    .selectFrom("problem")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .innerJoin("problem_version as v", (join) => join.on("v.hash", "=", version))
    .leftJoin("competition as c", "c.name", "problem.competition")
    .select(["v.created_at", "w.opens_at", "w.closes_at", "c.name", "c.title", "c.starts_at"])
    .select(sql<Date | null>`least(problem.ends_at, c.ends_at)`.as("ends_at"))
    .select(OPEN_TARGETS)
    .where("problem.name", "=", name)
    .executeTakeFirstOrThrow();
  const { title, starts_at, ends_at } = row;
  return {
    versionSince: row.created_at.toISOString(),
    opensAt: row.opens_at?.toISOString() ?? null,
    closesAt: row.closes_at?.toISOString() ?? null,
    openTargets: row.open,
    competition:
      row.name === null || title === null || starts_at === null || ends_at === null
        ? null
        : { name: row.name, title, startsAt: starts_at.toISOString(), endsAt: ends_at.toISOString() },
  };
}
