/**
 * Visibility: the only conditions that pages, API, lists and feeds use to decide what a viewer may see. Objects that a
 * viewer may not see are reported as not found, so that their existence is not revealed.
 */
import { sql, type RawBuilder } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hasRole, type Identity } from "./identity.ts";

/** Identity of the caller; undefined without an account. */
export type Viewer = Identity | undefined;
export const STRANGER: Viewer = undefined;

/** Columns that contain an object's competition. */
type CompetitionColumn = "problem.competition" | "competition.name";

/** SQL: whether the viewer may see objects of this competition when given their address. */
export function reachable(viewer: Viewer, column: CompetitionColumn): RawBuilder<boolean> {
  return sql<boolean>`may_open_competition(${sql.ref(column)}, ${account(viewer)}::text, ${seesAll(viewer)}::boolean)`;
}

/**
 * SQL: `reachable` for the account of a column. Deliveries happen without a request, so the account's roles do not
 * apply.
 */
export function reachableFor(accountColumn: "webhook.account_id", column: CompetitionColumn): RawBuilder<boolean> {
  return sql<boolean>`may_open_competition(${sql.ref(column)}, ${sql.ref(accountColumn)}, false)`;
}

/**
 * SQL: whether objects of this competition appear in the viewer's lists. Problems of KernelBench suites are never
 * listed.
 */
export function listed(viewer: Viewer, column: CompetitionColumn): RawBuilder<boolean> {
  const may = sql<boolean>`may_list_competition(${sql.ref(column)}, ${account(viewer)}::text, ${seesAll(viewer)}::boolean)`;
  if (column === "competition.name") return may;
  // The function lists practice problems too, but takes 18 us to do so, for each of thousands.
  return sql<boolean>`(problem.suite is null and (problem.competition is null or ${may}))`;
}

/**
 * SQL: whether a problem is listed for the viewer, or belongs to the given competition and is visible to the viewer.
 */
export function inList(viewer: Viewer, competition: string | undefined): RawBuilder<boolean> {
  if (competition === undefined) return listed(viewer, "problem.competition");
  return sql<boolean>`(problem.competition = ${competition} and ${reachable(viewer, "problem.competition")})`;
}

/** SQL: whether the viewer may see a KernelBench entry `e`. Drafts are visible to their account and to moderators. */
export function reachableEntry(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`(e.published_at is not null or e.account_id = ${account(viewer)}::text or ${seesAll(viewer)}::boolean)`;
}

/** SQL: whether a KernelBench entry `e` of an account `account` appears in the viewer's lists. */
export function listedEntry(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`(e.account_id = ${account(viewer)}::text
    or (e.published_at is not null and (account.banned_at is null or ${seesAll(viewer)}::boolean)))`;
}

/** SQL: whether a submission is a kernel of a published KernelBench entry. */
export function published(submission: "submission.id"): RawBuilder<boolean> {
  return sql<boolean>`exists (select from kernelbench_kernel k join kernelbench_entry e on e.id = k.entry_id
    where k.submission_id = ${sql.ref(submission)} and e.published_at is not null)`;
}

/**
 * SQL: whether no board freeze hides a submission from the viewer. The viewer's own and their team's submissions are
 * never hidden from them.
 */
export function unhidden(viewer: Viewer, submission: "submission" | "s"): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${submission}.${column}`);
  return sql<boolean>`may_view_submission(${of("problem")}, ${of("created_at")}, ${of("account_id")}, ${account(viewer)}::text,
    ${seesAll(viewer)}::boolean)`;
}

/**
 * Returns whether a viewer may see what a freeze hides on the boards of a problem: moderators and organisers of its
 * competition may.
 */
export async function seesThroughFreeze({ db }: Database, viewer: Viewer, problem: string): Promise<boolean> {
  if (viewer === undefined || seesAll(viewer)) return viewer !== undefined;
  const row = await db
    .selectFrom("problem")
    .innerJoin("competition_organiser as o", "o.competition", "problem.competition")
    .select("o.competition")
    .where("problem.name", "=", problem)
    .where("o.account_id", "=", viewer.account.id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The part of a viewer that decides visibility: account id (null without an account) and whether they see everything.
 */
export type VisibilityKey = readonly [accountId: string | null, seesAll: boolean];

export function visibilityKeyOf(viewer: Viewer): VisibilityKey {
  return [account(viewer), seesAll(viewer)];
}

/** Returns whether a viewer may see a problem, and with it its boards, submissions and receipts. */
export async function canSeeProblem(
  { db }: Database,
  [accountId, seesAll]: VisibilityKey,
  problem: string,
): Promise<boolean> {
  const { rows } = await sql<{ reached: boolean }>`select exists (select from problem where name = ${problem}
      and may_open_competition(competition, ${accountId}::text, ${seesAll}::boolean)) as reached`.execute(db);
  return rows[0]?.reached === true;
}

/**
 * Returns whether a viewer may see a submission. Its author and moderators see all of it. Its outcome is visible to the
 * organisers of its competition, unless it was made in practice, and, if it is an entry (a ranked run passed, or it is a kernel of a published
 * KernelBench entry), to every viewer of its problem, unless a freeze hides it or it was removed. A submission that
 * judges evaluations is not visible: evaluations have endpoints of their own.
 */
export async function canSeeSubmission({ db }: Database, viewer: VisibilityKey, id: number): Promise<boolean> {
  const { rows } = await sql<{ reached: boolean }>`select ${visibleSubmission(viewer, id)} as reached`.execute(db);
  return rows[0]?.reached === true;
}

/** SQL: whether a viewer may see a submission, as by `canSeeSubmission`. */
export function visibleSubmission([accountId, seesAll]: VisibilityKey, id: number): RawBuilder<boolean> {
  return sql<boolean>`may_see_submission(${id}, ${accountId}::text, ${seesAll}::boolean)`;
}

export function noProblem(name: string): KernelBotError {
  return new KernelBotError("not_found", `problem ${quote(name)} not found`);
}

export function noCompetition(name: string): KernelBotError {
  return new KernelBotError("not_found", `competition ${quote(name)} not found`);
}

function account(viewer: Viewer): string | null {
  return viewer?.account.id ?? null;
}

/** Moderators see everything; administrators include moderators. */
function seesAll(viewer: Viewer): boolean {
  return viewer !== undefined && hasRole(viewer, "moderator");
}
