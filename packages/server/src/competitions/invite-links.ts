/** Invite links: one address by which a class joins a competition, with the accounts that people have or create. */
import { sql, type Selectable, type Transaction } from "kysely";
import {
  KernelBotError,
  type InviteLink,
  type InviteLinkRequest,
  type JoinedCompetitions,
  type NewInviteLink,
} from "@kernelbot/core";
import { audit } from "../auth/audit.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import { networkOf, throttle } from "../auth/rate-limits.ts";
import { registerAccount } from "../auth/register.ts";
import { hashOf, newSecret } from "../auth/secret.ts";
import { beginSession, type Browser } from "../auth/sessions.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { requireOrganiser } from "./organisers.ts";

/** Above the size of a class, whose members often share one address. */
const REGISTRATIONS = { times: 300, windowS: 600, what: "to register from your network" };

/** Creates an invite link of a competition that the caller organises. @returns it with the secret of its address. */
export async function createInviteLink(
  { db }: Database,
  identity: Identity,
  competition: string,
  { maxUses, days }: InviteLinkRequest,
): Promise<Omit<NewInviteLink, "url"> & { secret: string }> {
  return runTransaction(db, async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    const secret = newSecret();
    const { id, expires_at } = await transaction
      .insertInto("invite_link")
      .values({
        hash: hashOf(secret),
        competition,
        max_uses: maxUses,
        created_by: identity.account.id,
        expires_at: sql<Date>`now() + make_interval(days => ${days})`,
      })
      .returning(["id", "expires_at"])
      .executeTakeFirstOrThrow();
    const expiresAt = expires_at.toISOString();
    await audit(transaction, identity, "invite-link", `competition ${competition}`, { link: id, maxUses, expiresAt });
    return { id, secret, maxUses, expiresAt };
  });
}

/** Lists the invite links of a competition that the caller organises, the newest first. */
export async function listInviteLinks(
  { db }: Database,
  identity: Identity,
  competition: string,
): Promise<InviteLink[]> {
  const rows = await runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    return transaction
      .selectFrom("invite_link as l")
      .innerJoin("account as creator", "creator.id", "l.created_by")
      .select(["l.id", "l.competition", "l.max_uses", "l.created_at", "l.expires_at", "l.revoked_at"])
      .select(["creator.id as creatorId", "creator.name as creatorName"])
      .select(
        sql<InviteLink["uses"]>`coalesce((
          select json_agg(json_build_object('account', json_build_object('id', a.id, 'name', a.name),
            'at', to_char(u.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'registered', u.registered) order by u.at)
          from invite_link_use u join account a on a.id = u.account_id where u.link_id = l.id), '[]')`.as("uses"),
      )
      .where("l.competition", "=", competition)
      .orderBy("l.id", "desc")
      .execute();
  });
  return rows.map((row) => ({
    id: row.id,
    competition: row.competition,
    maxUses: row.max_uses,
    createdBy: { id: row.creatorId, name: row.creatorName },
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    uses: row.uses,
  }));
}

/**
 * Revokes an invite link. The accounts that joined by it remain members, because a link is shared by a class.
 * Idempotent. @throws KernelBotError `not_found`.
 */
export async function revokeInviteLink(
  { db }: Database,
  identity: Identity,
  competition: string,
  id: number,
): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    const revoked = await transaction
      .updateTable("invite_link")
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` })
      .where("id", "=", id)
      .where("competition", "=", competition)
      .returning("uses")
      .executeTakeFirst();
    if (revoked === undefined) throw new KernelBotError("not_found", `${competition} has no invite link ${id}`);
    await audit(transaction, identity, "revoke-invite-link", `competition ${competition}`, {
      link: id,
      uses: revoked.uses,
    });
  });
}

/** Returns the competition of an invite link, for its page. @throws KernelBotError as `joinByLink` does. */
export async function readInviteLink({ db }: Database, secret: string): Promise<{ name: string; title: string }> {
  const row = await db
    .selectFrom("invite_link as l")
    .innerJoin("competition as c", "c.name", "l.competition")
    .selectAll("l")
    .select("c.title")
    .where("hash", "=", hashOf(secret))
    .executeTakeFirst();
  if (row === undefined) throw unknownLink();
  const refusal = refusalOf(row);
  if (refusal !== null) throw refusal;
  return { name: row.competition, title: row.title };
}

/**
 * Joins the competition of a link with the caller's account. Idempotent: an account uses a link up once.
 * @throws KernelBotError `not_found` if the link does not exist; `conflict` if it is used up, expired or revoked.
 */
export async function joinByLink({ db }: Database, identity: Identity, secret: string): Promise<JoinedCompetitions> {
  requireScope(identity, "submit");
  return runTransaction(idempotent(db), async (transaction) => {
    const link = await lockLink(transaction, secret);
    if (link === undefined) throw unknownLink();
    const isMember = await transaction
      .selectFrom("competition_member")
      .select("account_id")
      .where("competition", "=", link.competition)
      .where("account_id", "=", identity.account.id)
      .executeTakeFirst();
    if (isMember === undefined) await takeUse(transaction, link, identity, false);
    return { competitions: [link.competition] };
  });
}

/**
 * Creates an account with the chosen name, joins the competition of a link, and signs the browser in.
 * @returns the secret of the session. @throws KernelBotError as `joinByLink`, and for the name as `registerAccount`.
 */
export async function registerByLink(
  database: Database,
  secret: string,
  name: string,
  browser: Browser,
): Promise<{ competition: string; session: string }> {
  await throttle(database, "register", networkOf(browser.address), REGISTRATIONS);
  return runTransaction(database.db, async (transaction) => {
    const link = await lockLink(transaction, secret);
    if (link === undefined) throw unknownLink();
    const refusal = refusalOf(link);
    if (refusal !== null) throw refusal;
    const account = await registerAccount(transaction, name);
    await takeUse(transaction, link, { account }, true);
    return { competition: link.competition, session: await beginSession(transaction, account.id, browser) };
  });
}

type LinkRow = Pick<
  Selectable<Tables["invite_link"]>,
  "id" | "competition" | "max_uses" | "uses" | "expires_at" | "revoked_at"
>;

/** Locks a link, so that concurrent uses are counted one after the other. */
async function lockLink(transaction: Transaction<Tables>, secret: string): Promise<LinkRow | undefined> {
  return transaction
    .selectFrom("invite_link")
    .selectAll()
    .where("hash", "=", hashOf(secret))
    .forUpdate()
    .executeTakeFirst();
}

/** Counts and records a use of a locked link. @throws KernelBotError `conflict`. */
async function takeUse(
  transaction: Transaction<Tables>,
  link: LinkRow,
  identity: Pick<Identity, "account">,
  registered: boolean,
): Promise<void> {
  const refusal = refusalOf(link);
  if (refusal !== null) throw refusal;
  const { id, competition, uses } = link;
  await transaction
    .updateTable("invite_link")
    .set({ uses: uses + 1 })
    .where("id", "=", id)
    .execute();
  await transaction
    .insertInto("invite_link_use")
    .values({ link_id: id, account_id: identity.account.id, registered })
    .execute();
  const detail = { link: id, name: identity.account.name, registered };
  await audit(transaction, identity, "use-invite-link", `competition ${competition}`, detail);
}

/** Returns why a link admits no one; null if it does. */
function refusalOf({ revoked_at, expires_at, uses, max_uses }: LinkRow): KernelBotError | null {
  const why =
    revoked_at !== null
      ? "was revoked"
      : expires_at.getTime() <= Date.now()
        ? "has expired"
        : uses >= max_uses
          ? `has been used by ${max_uses} people, which is its limit`
          : null;
  if (why === null) return null;
  return new KernelBotError("conflict", `this invite link ${why}; ask the organiser for a new one`);
}

function unknownLink(): KernelBotError {
  return new KernelBotError(
    "not_found",
    "this invite link does not exist; check that it was copied completely, or ask the organiser for a new one",
  );
}
