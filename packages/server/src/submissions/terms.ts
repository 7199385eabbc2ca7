/** Submission terms of a problem, for display only: `submit` checks them itself. */
import { sql } from "kysely";
import { compareTargets, LANGUAGES, type ProblemSpec, type SubmissionTerms } from "@kernelbot/core";
import { reachable, type Viewer } from "../auth/visibility.ts";
import { mayCompete } from "../competitions/participants.ts";
import type { Database } from "../db/database.ts";

/** Returns the terms of a problem for a viewer, or null if the viewer may not see the problem. */
export async function readTerms({ db }: Database, viewer: Viewer, spec: ProblemSpec): Promise<SubmissionTerms | null> {
  const row = await db
    .selectFrom("problem")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .leftJoin("competition", "competition.name", "problem.competition")
    .leftJoin("account", (join) => join.on("account.id", "=", viewer?.account.id ?? null))
    .select(["w.opens_at", "w.closes_at", "w.targets as entered", "competition.name", "competition.title"])
    .select(["competition.licence as required", "account.licence as own"])
    .select(
      sql<SubmissionTerms["ranked"]["state"]>`case when w.closes_at <= now() then 'after'
        when w.opens_at > now() then 'before' else 'open' end`.as("state"),
    )
    .select(mayCompete(viewer?.account.id ?? null).as("may_take_part"))
    .select(sql<string[]>`array(select target from board where board.problem = problem.name and accepts)`.as("targets"))
    .where("problem.name", "=", spec.name)
    .where(reachable(viewer, "problem.competition"))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { name, title } = row;
  return {
    languages: LANGUAGES.filter((language) => spec.languages[language] !== undefined),
    targets: row.targets.filter((target) => target in spec.targets).toSorted(compareTargets),
    ranked: {
      state: row.state,
      opensAt: row.opens_at?.toISOString() ?? null,
      closesAt: row.closes_at?.toISOString() ?? null,
      targets: row.entered,
    },
    mayTakePart: row.may_take_part,
    profiles: spec.harness !== "legacy",
    hasApplication: spec.application !== undefined,
    competition: name === null || title === null ? null : { name, title, licence: row.required },
    licence: row.own,
  };
}
