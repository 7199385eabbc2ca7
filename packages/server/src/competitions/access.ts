/**
 * Who may find what. The one condition that every face, list and feed asks; what it refuses is not found, so that its
 * existence is not told.
 */
import { sql, type RawBuilder } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hasRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";

/** Who looks; undefined for a stranger. */
export type Viewer = Identity | undefined;
export const STRANGER: Viewer = undefined;

/** The columns of which the competition of a thing is known. */
type CompetitionColumn = "problem.competition" | "competition.name";

/** SQL: whether what belongs to this competition is there for the viewer who has its address. */
export function reachable(viewer: Viewer, column: CompetitionColumn): RawBuilder<boolean> {
  return sql<boolean>`may_reach(${sql.ref(column)}, ${account(viewer)}::text, ${seesAll(viewer)}::boolean)`;
}

/** SQL: whether it is there for the account of this column, which is told unasked and so has no rights of a role. */
export function reachableFor(accountColumn: "webhook.account_id", column: CompetitionColumn): RawBuilder<boolean> {
  return sql<boolean>`may_reach(${sql.ref(column)}, ${sql.ref(accountColumn)}, false)`;
}

/** SQL: whether it stands in the viewer's lists. The problems of KernelBench's suites stand in none. */
export function listed(viewer: Viewer, column: CompetitionColumn): RawBuilder<boolean> {
  const may = sql<boolean>`may_list(${sql.ref(column)}, ${account(viewer)}::text, ${seesAll(viewer)}::boolean)`;
  return column === "problem.competition" ? sql<boolean>`(problem.suite is null and ${may})` : may;
}

/** SQL: whether a problem is in the viewer's list, or in that of one competition. */
export function inList(viewer: Viewer, competition: string | undefined): RawBuilder<boolean> {
  if (competition === undefined) return listed(viewer, "problem.competition");
  return sql<boolean>`(problem.competition = ${competition} and ${reachable(viewer, "problem.competition")})`;
}

/** SQL: whether an entry, `e`, is there for the viewer: a draft is for its account and for moderators. */
export function reachableEntry(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`(e.published_at is not null or e.account_id = ${account(viewer)}::text or ${seesAll(viewer)}::boolean)`;
}

/** SQL: whether an entry, `e`, of an account, `account`, stands in the viewer's lists. */
export function listedEntry(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`(e.account_id = ${account(viewer)}::text
    or (e.published_at is not null and (account.banned_at is null or ${seesAll(viewer)}::boolean)))`;
}

/** SQL: whether a submission is a kernel of a published entry. */
export function published(submission: "submission.id" | "s.id"): RawBuilder<boolean> {
  return sql<boolean>`exists (select from kernelbench_kernel k join kernelbench_entry e on e.id = k.entry_id
    where k.submission_id = ${sql.ref(submission)} and e.published_at is not null)`;
}

/** SQL: whether no freeze of its boards hides a submission from the viewer; his own, and his team's, are never hidden from him. */
export function unhidden(viewer: Viewer, submission: "submission" | "s"): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${submission}.${column}`);
  return sql<boolean>`may_read(${of("problem")}, ${of("created_at")}, ${of("account_id")}, ${account(viewer)}::text,
    ${seesAll(viewer)}::boolean)`;
}

/**
 * Whether this viewer may see what a freeze hides on the boards of a problem: moderators, and who organises its competition.
 */
export async function seesThroughFreeze({ db }: Database, viewer: Viewer, problem: string): Promise<boolean> {
  if (viewer === undefined || seesAll(viewer)) return viewer !== undefined;
  const row = await retrying(() =>
    db
      .selectFrom("problem")
      .innerJoin("competition_organiser as o", "o.competition", "problem.competition")
      .select("o.competition")
      .where("problem.name", "=", problem)
      .where("o.account_id", "=", viewer.account.id)
      .executeTakeFirst(),
  );
  return row !== undefined;
}

/** All of a viewer that decides what he reaches: his account, null for a stranger, and whether he sees everything. */
export type Standing = readonly [accountId: string | null, seesAll: boolean];

export function standingOf(viewer: Viewer): Standing {
  return [account(viewer), seesAll(viewer)];
}

/** Whether a problem, and with it its boards, submissions and receipts, is there for a viewer of this standing. */
export async function reachesProblem(
  { db }: Database,
  [accountId, seesAll]: Standing,
  problem: string,
): Promise<boolean> {
  const { rows } = await retrying(() =>
    sql<{ reached: boolean }>`select exists (select from problem where name = ${problem}
      and may_reach(competition, ${accountId}::text, ${seesAll}::boolean)) as reached`.execute(db),
  );
  return rows[0]?.reached === true;
}

/**
 * Whether a submission exists for a viewer of this standing, at any address. Its author and moderators see all of it. The
 * organisers of its competition, and where it is an entry (a ranked run of it passed, or it is a kernel of a published entry
 * of a suite) everyone who reaches its problem, see its outcome, unless a freeze hides it or it was removed.
 */
export async function reachesSubmission(
  { db }: Database,
  [accountId, seesAll]: Standing,
  id: number,
): Promise<boolean> {
  const { rows } = await retrying(() =>
    sql<{ reached: boolean }>`select exists (select from submission s join problem p on p.name = s.problem
      where s.id = ${id} and may_reach(p.competition, ${accountId}::text, ${seesAll}::boolean)
        and may_read(s.problem, s.created_at, s.account_id, ${accountId}::text, ${seesAll}::boolean)
        and (${seesAll}::boolean or s.account_id = ${accountId}::text or s.removed_at is null and (
          exists (select from competition_organiser o where o.competition = p.competition and o.account_id = ${accountId}::text)
          or case when p.suite is null
            then exists (select from run r where r.submission_id = s.id and r.mode = 'ranked' and r.verdict = 'passed')
            else ${published("s.id")} end))) as reached`.execute(db),
  );
  return rows[0]?.reached === true;
}

export function noProblem(name: string): KernelBotError {
  return new KernelBotError("not_found", `there is no problem ${quote(name)}`);
}

export function noCompetition(name: string): KernelBotError {
  return new KernelBotError("not_found", `there is no competition ${quote(name)}`);
}

function account(viewer: Viewer): string | null {
  return viewer?.account.id ?? null;
}

/** Moderators look at everything, and administrators are moderators too. */
function seesAll(viewer: Viewer): boolean {
  return viewer !== undefined && hasRole(viewer, "moderator");
}
