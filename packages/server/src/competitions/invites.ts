/** Invite codes. A claimed code that is not revoked makes its account a member (`competition_member`). */
import { sql, type Transaction } from "kysely";
import {
  KernelBotError,
  type Invite,
  type InviteRequest,
  type Invites,
  type JoinedCompetitions,
  type RevokedInvite,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { newCode, recordIncorrectCode, findGuessLimit } from "./codes.ts";
import { isOrganisedBy, requireOrganiser } from "./organisers.ts";

/** Creates invite codes that are each valid for all given competitions. The caller must organise all of them. */
export async function createInvites({ db }: Database, identity: Identity, request: InviteRequest): Promise<Invites> {
  const competitions = [...new Set(request.competitions)].toSorted();
  return runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, competitions);
    const codes = Array.from({ length: request.count }, () => newCode());
    await sql`
        with made as (
          insert into invite (code, created_by) select code, ${identity.account.id} from unnest(${codes}::text[]) as c (code)
          returning code
        )
        insert into invite_competition (competition, code)
        select competition, code from made, unnest(${competitions}::text[]) as o (competition)`.execute(transaction);
    for (const name of competitions) {
      await audit(transaction, identity, "invite", `competition ${name}`, { count: codes.length });
    }
    return { competitions, codes };
  });
}

/**
 * Lists the invite codes of a competition, the newest first. A code that is also valid for other competitions is only
 * listed if the caller organises all of them.
 */
export async function listInvites({ db }: Database, identity: Identity, competition: string): Promise<Invite[]> {
  const { invites, own } = await runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    const invites = await transaction
      .selectFrom("invite")
      .innerJoin("invite_competition as ic", "ic.code", "invite.code")
      .leftJoin("account", "account.id", "invite.claimed_by")
      .selectAll("invite")
      .select("account.name")
      .select(
        sql<string[]>`(select json_agg(o.competition order by o.competition) from invite_competition o
            where o.code = invite.code)`.as("competitions"),
      )
      .where("ic.competition", "=", competition)
      .orderBy("invite.created_at", "desc")
      .orderBy("invite.code")
      .execute();
    const others = new Set(invites.flatMap(({ competitions }) => competitions));
    return { invites, own: await isOrganisedBy(transaction, identity, [...others]) };
  });
  return invites
    .filter(({ competitions }) => competitions.every((name) => own.has(name)))
    .map((row) => ({
      code: row.code,
      competitions: row.competitions,
      createdAt: row.created_at.toISOString(),
      claimedBy: row.claimed_by === null || row.name === null ? null : { id: row.claimed_by, name: row.name },
      claimedAt: row.claimed_at?.toISOString() ?? null,
      revokedAt: row.revoked_at?.toISOString() ?? null,
    }));
}

/** Revokes a code and with it the membership of the account that claimed it. Idempotent. */
export async function revokeInvite({ db }: Database, identity: Identity, code: string): Promise<RevokedInvite> {
  return runTransaction(idempotent(db), async (transaction) => {
    const competitions = await competitionsOf(transaction, code);
    const own = await isOrganisedBy(transaction, identity, competitions);
    if (competitions.length === 0 || !competitions.every((name) => own.has(name))) throw noInvite();
    const { claimed_by } = await transaction
      .updateTable("invite")
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` })
      .where("code", "=", code)
      .returning("claimed_by")
      .executeTakeFirstOrThrow();
    for (const name of competitions) {
      await audit(transaction, identity, "revoke", `competition ${name}`, { invite: code, claimedBy: claimed_by });
    }
    return { code, wasClaimed: claimed_by !== null };
  });
}

/**
 * Joins the competitions of a code. Idempotent for the same account.
 * @throws KernelBotError `not_found` if the code does not exist or was revoked; `conflict` if another account has
 * claimed it; `too_many_requests` after too many incorrect codes.
 */
export async function claimInvite({ db }: Database, identity: Identity, code: string): Promise<JoinedCompetitions> {
  requireScope(identity, "submit");
  // Errors are thrown after the commit, because an incorrect code must be recorded.
  const outcome = await runTransaction(idempotent(db), (transaction) => claim(transaction, identity, code));
  if (outcome instanceof KernelBotError) throw outcome;
  return outcome;
}

async function claim(
  transaction: Transaction<Tables>,
  { account }: Identity,
  code: string,
): Promise<JoinedCompetitions | KernelBotError> {
  const refused = await findGuessLimit(transaction, account.id);
  if (refused !== null) return refused;
  const invite = await transaction
    .selectFrom("invite")
    .select("claimed_by")
    .where("code", "=", code)
    .where("revoked_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (invite === undefined) {
    await recordIncorrectCode(transaction, account.id);
    return noInvite();
  }
  if (invite.claimed_by !== null && invite.claimed_by !== account.id) {
    return new KernelBotError(
      "conflict",
      "this invite code was claimed by another account; ask the organiser for a new one",
    );
  }
  if (invite.claimed_by === null) {
    await transaction
      .updateTable("invite")
      .set({ claimed_by: account.id, claimed_at: sql<Date>`clock_timestamp()` })
      .where("code", "=", code)
      .execute();
  }
  return { competitions: await competitionsOf(transaction, code) };
}

async function competitionsOf(transaction: Transaction<Tables>, code: string): Promise<string[]> {
  const rows = await transaction
    .selectFrom("invite_competition")
    .select("competition")
    .where("code", "=", code)
    .orderBy("competition")
    .execute();
  return rows.map(({ competition }) => competition);
}

function noInvite(): KernelBotError {
  return new KernelBotError(
    "not_found",
    "this invite code does not exist or was revoked; check that it was copied completely",
  );
}
