/**
 * Launches: a platform announces a user, confirms them with an ID token, and the user continues to the course.
 *
 *     platform --POST /lti/login--> redirect to the platform --POST /lti/launch--> /lti/continue/SECRET --> course
 *
 * State and nonce are usable once. A cookie of the browser that began decides only whether an identity may be linked
 * with the account that is signed in there; browsers do not send it from frames, where only accounts of the identity itself are opened.
 */
import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import { findOrCreateAccountIn } from "@kernelbot/server/src/auth/identities.ts";
import { requireScope, type Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { ProviderUser } from "@kernelbot/server/src/auth/providers.ts";
import { registerAccount } from "@kernelbot/server/src/auth/register.ts";
import { hashOf, isSecret, newSecret } from "@kernelbot/server/src/auth/secret.ts";
import { beginSession, type Browser } from "@kernelbot/server/src/auth/sessions.ts";
import { enrolFromPlatform } from "../courses/enrol.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { parseLaunch, type Launch } from "./claims.ts";
import { inSeconds, LAUNCH_S, requireDeployment, type VerifiedMessage } from "./login.ts";
import type { PlatformRow } from "./platforms.ts";

/**
 * Records a verified launch.
 * @returns the secret with which the user continues.
 * @throws KernelBotError `forbidden`, `unprocessable` or `not_found` for an invalid launch.
 */
export async function acceptLaunch(
  { db }: Database,
  { platform, claims, browserHash }: VerifiedMessage,
): Promise<string> {
  const launch = parseLaunch(claims);
  requireDeployment(platform, launch.deployment);
  const secret = newSecret();
  await runTransaction(db, async (transaction) => {
    const linkId = await useLink(transaction, platform, launch);
    await transaction
      .insertInto("lti_launch")
      .values({
        hash: hashOf(secret),
        browser_hash: browserHash as Buffer,
        link_id: linkId,
        platform_id: platform.id,
        context: launch.context,
        subject: launch.subject,
        name: launch.name,
        email: launch.email,
        email_verified: launch.isEmailVerified,
        is_student: launch.isStudent,
        expires_at: inSeconds(LAUNCH_S),
      })
      .execute();
  });
  return secret;
}

/** Finds the link of a launch, binds it to the activity, and stores where the activity receives grades. */
async function useLink(transaction: Transaction<Tables>, platform: PlatformRow, launch: Launch): Promise<number> {
  const { link = "", deployment, resource } = launch;
  const row = await transaction
    .selectFrom("lti_link")
    .select(["id", "platform_id", "deployment", "resource"])
    .where("hash", "=", hashOf(link))
    .where("revoked_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) {
    throw new KernelBotError(
      "not_found",
      link === ""
        ? "this activity has no course: its custom parameters, or its URL, must contain kernelbot=SECRET, which the organiser of the course creates with: kernelbot admin course lti COMPETITION --create"
        : 'the parameter "kernelbot" of this activity was revoked or is incorrect; ask the organiser of the course for a new one',
    );
  }
  const isBound = row.resource !== null;
  if (isBound && (row.platform_id !== platform.id || row.deployment !== deployment || row.resource !== resource)) {
    throw new KernelBotError(
      "forbidden",
      'the parameter "kernelbot" of this activity belongs to another activity; ask the organiser of the course for one of its own',
    );
  }
  await transaction
    .updateTable("lti_link")
    .set({
      platform_id: platform.id,
      deployment,
      resource,
      context: launch.context,
      context_title: launch.contextTitle,
      line_item: launch.lineItem,
      line_items: launch.lineItems,
      members: launch.members,
      scopes: launch.scopes,
      launched_at: sql<Date>`now()`,
    })
    .where("id", "=", row.id)
    .execute();
  return row.id;
}

/** A launch as its page shows it. */
interface PendingLaunch {
  platform: string;
  competition: { name: string; title: string };
  /** Name of the user at the platform; empty if it sends none. */
  name: string;
  /** Account of the user; null before the first launch. */
  account: { id: string; name: string } | null;
  /** Whether this browser began the launch. */
  isOwnBrowser: boolean;
}

/** Returns a launch that can be continued. @throws KernelBotError `not_found`. */
export async function readLaunch(
  { db }: Database,
  secret: string,
  browserSecret: string | undefined,
): Promise<PendingLaunch> {
  const row = await launches(db, secret)
    .innerJoin("competition as c", "c.name", "k.competition")
    .leftJoin("linked_identity as i", (join) =>
      join.on("i.provider", "=", "lti").on("i.subject", "=", sql<string>`p.issuer || ' ' || l.subject`),
    )
    .leftJoin("account as a", "a.id", "i.account_id")
    .select(["a.id", "a.name as accountName", "c.title"])
    .executeTakeFirst();
  if (row === undefined) throw unknownLaunch();
  return {
    platform: row.platform,
    competition: { name: row.competition, title: row.title },
    name: row.name,
    account: row.id === null || row.accountName === null ? null : { id: row.id, name: row.accountName },
    isOwnBrowser: isBrowser(row.browser_hash, browserSecret),
  };
}

/**
 * Ends a launch: signs the user in, with an account that is created or linked at the first launch, makes it a member of
 * the course, and enrols students. Teachers get no role: grades are visible to organisers only.
 * @param by Session of the browser, whose account is linked if the browser began the launch.
 * @param accountName Name of a new account.
 * @returns the competition, the assignment of the activity once the competition has started, and the secret of a new
 * session; null if the browser is signed in already.
 * @throws KernelBotError `not_found`; `conflict` or `unprocessable` for the name.
 */
export async function continueLaunch(
  { db }: Database,
  secret: string,
  { by, browserSecret, browser }: { by: Identity | null; browserSecret: string | undefined; browser: Browser },
  accountName: string,
): Promise<{ competition: string; problem: string | null; session: string | null }> {
  return runTransaction(db, async (transaction) => {
    const launch = await launches(transaction, secret).forUpdate("l").executeTakeFirst();
    if (launch === undefined) throw unknownLaunch();
    await transaction.deleteFrom("lti_launch").where("hash", "=", hashOf(secret)).execute();
    const { competition, problem, issuer, subject, name, email, email_verified: isEmailVerified } = launch;
    const user: ProviderUser = { provider: "lti", subject: `${issuer} ${subject}`, name };
    const links = by !== null && accountName === "" && isBrowser(launch.browser_hash, browserSecret);
    const accountId = await findOrCreateAccountIn(transaction, user, async () => {
      if (!links) return (await registerAccount(transaction, accountName)).id;
      requireScope(by, "account");
      return by.account.id;
    });
    const values = { platform_id: launch.platform_id, context: launch.context, subject };
    await transaction
      .insertInto("lti_member")
      .values({ competition, account_id: accountId, ...values })
      .onConflict((conflict) => conflict.columns(["competition", "account_id"]).doUpdateSet(values))
      .execute();
    if (launch.is_student) {
      const person = { name, email, isEmailVerified, placeholder: placeholderOf(subject, launch.platform_id) };
      const enrolled = await enrolFromPlatform(transaction, accountId, competition, person);
      if (enrolled !== null) {
        const detail = { link: launch.link_id, student: enrolled };
        await audit(
          transaction,
          { account: { id: accountId, name } },
          "lti-enrol",
          `competition ${competition}`,
          detail,
        );
      }
    }
    const session = by?.account.id === accountId ? null : await beginSession(transaction, accountId, browser);
    return { competition, problem, session };
  });
}

/** Returns the address by which a roster identifies a user of a platform. */
export function placeholderOf(subject: string, platformId: number): string {
  return `${subject}@platform-${platformId}.invalid`.toLowerCase();
}

function launches(db: Database["db"] | Transaction<Tables>, secret: string) {
  return db
    .selectFrom("lti_launch as l")
    .innerJoin("lti_link as k", "k.id", "l.link_id")
    .innerJoin("lti_platform as p", "p.id", "l.platform_id")
    .selectAll("l")
    .select(["k.competition", "p.issuer", "p.name as platform"])
    .select(
      sql<
        string | null
      >`(select w.problem from problem_window w where w.problem = k.problem and w.opens_at <= now())`.as("problem"),
    )
    .where("l.hash", "=", hashOf(secret))
    .where("l.expires_at", ">", sql<Date>`now()`)
    .where("k.revoked_at", "is", null);
}

function isBrowser(hash: Buffer | Uint8Array, secret: string | undefined): boolean {
  return secret !== undefined && isSecret(secret) && hashOf(secret).equals(hash);
}

function unknownLaunch(): KernelBotError {
  return new KernelBotError(
    "not_found",
    "this launch has expired or was already used; open the activity in your learning platform again",
  );
}
