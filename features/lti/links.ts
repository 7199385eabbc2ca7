/** Links by which activities of learning platforms open a course, and the state of the grades that they receive. */
import { sql, type Selectable, type Transaction } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { CourseLti, LtiLink, LtiLinkRequest } from "./messages.ts";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { hashOf, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import { requireOrganiser } from "@kernelbot/server/src/competitions/organisers.ts";
import { getCourse } from "../courses/courses.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { SCOPES } from "./claims.ts";

/** @throws KernelBotError `forbidden` or `not_found` as `requireOrganiser`; `not_found` for an unknown assignment. */
export async function createLink(
  { db }: Database,
  identity: Identity,
  competition: string,
  request: LtiLinkRequest,
): Promise<{ id: number; problem: string | null; secret: string }> {
  return runTransaction(db, (transaction) => insertLink(transaction, identity, competition, request));
}

/** @throws KernelBotError as `createLink`. */
export async function insertLink(
  transaction: Transaction<Tables>,
  identity: Identity,
  competition: string,
  { problem }: LtiLinkRequest,
): Promise<{ id: number; problem: string | null; secret: string }> {
  await requireOrganiser(transaction, identity, [competition]);
  const { assignments } = await getCourse(transaction, competition);
  if (problem !== undefined && !assignments.some((each) => each.problem === problem)) {
    throw new KernelBotError("not_found", `${quote(problem)} is not an assignment of ${competition}`);
  }
  const secret = newSecret();
  const row = await transaction
    .insertInto("lti_link")
    .values({ hash: hashOf(secret), competition, problem: problem ?? null, created_by: identity.account.id })
    .returning(["id", "problem"])
    .executeTakeFirstOrThrow();
  await audit(transaction, identity, "lti-link", `competition ${competition}`, { link: row.id, problem });
  return { ...row, secret };
}

/** Revokes a link. Idempotent. @throws KernelBotError `forbidden` or `not_found`. */
export async function revokeLink({ db }: Database, identity: Identity, competition: string, id: number): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    const row = await transaction
      .updateTable("lti_link")
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
      .where("id", "=", id)
      .where("competition", "=", competition)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined) throw new KernelBotError("not_found", `${competition} has no link ${id} to a platform`);
    await audit(transaction, identity, "revoke-lti-link", `competition ${competition}`, { link: id });
  });
}

/** Returns the links of a course, and the state of its grades. @throws KernelBotError `forbidden` or `not_found`. */
export async function readCourseLti({ db }: Database, identity: Identity, competition: string): Promise<CourseLti> {
  return runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    await getCourse(transaction, competition);
    const links = await transaction
      .selectFrom("lti_link as l")
      .leftJoin("lti_platform as p", "p.id", "l.platform_id")
      .selectAll("l")
      .select("p.name as platform")
      .where("l.competition", "=", competition)
      .orderBy("l.id")
      .execute();
    const counted = await transaction
      .selectFrom("lti_score as s")
      .innerJoin("lti_link as l", "l.id", "s.link_id")
      .select(sql<number>`count(*) filter (where not ${isPending("s")})`.as("sent"))
      .select(sql<Date | null>`max(s.stamp) filter (where not ${isPending("s")})`.as("lastSentAt"))
      .select(sql<number>`count(*) filter (where ${isPending("s")} and s.error is null)`.as("queued"))
      .where("l.competition", "=", competition)
      .where("l.revoked_at", "is", null)
      .executeTakeFirstOrThrow();
    const failed = await transaction
      .selectFrom("lti_score as s")
      .innerJoin("lti_link as l", "l.id", "s.link_id")
      .innerJoin("account as a", "a.id", "s.account_id")
      .leftJoin("course_student as c", (join) =>
        join.onRef("c.competition", "=", "l.competition").onRef("c.account_id", "=", "s.account_id"),
      )
      .select(["s.link_id", "s.problem", "s.points", "s.error", "s.tries", "s.due_at"])
      .select(["a.name as account", "c.name as student"])
      .where("l.competition", "=", competition)
      .where("l.revoked_at", "is", null)
      .where("s.error", "is not", null)
      .where(isPending("s"))
      .orderBy("s.id")
      .execute();
    return {
      links: links.map(toLink),
      sent: counted.sent,
      lastSentAt: counted.lastSentAt?.toISOString() ?? null,
      queued: counted.queued,
      failed: failed.map((row) => ({
        ...{ link: row.link_id, problem: row.problem, account: row.account, student: row.student },
        ...{ points: row.points, error: row.error ?? "", tries: row.tries, nextTryAt: row.due_at.toISOString() },
      })),
    };
  });
}

/** SQL: whether the platform has not confirmed the current grade of a row of lti_score. */
export function isPending(row: string) {
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql<boolean>`((${column("points")}, ${column("maximum")}) is distinct from (${column("sent_points")}, ${column("sent_maximum")}))`;
}

function toLink(row: Selectable<Tables["lti_link"]> & { platform: string | null }): LtiLink {
  const hasColumn = row.problem !== null && row.line_item !== null;
  const mayCreate = row.line_items !== null && row.scopes.includes(SCOPES.lineItem);
  return {
    id: row.id,
    problem: row.problem,
    createdAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    platform: row.platform,
    contextTitle: row.context_title,
    launchedAt: row.launched_at?.toISOString() ?? null,
    sendsGrades: row.revoked_at === null && row.scopes.includes(SCOPES.score) && (hasColumn || mayCreate),
  };
}
