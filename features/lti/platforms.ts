/** Learning platforms at which this server is registered as a tool. */
import type { Selectable, Transaction } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { LtiPlatform, LtiPlatformRequest } from "./messages.ts";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import { requireRole, type Identity } from "@kernelbot/server/src/auth/identity.ts";
import { isLoopback } from "@kernelbot/server/src/auth/loopback.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";

export type PlatformRow = Selectable<Tables["lti_platform"]>;

/** Lists the platforms by name. @throws KernelBotError `forbidden` if the caller is not an administrator. */
export async function listPlatforms({ db }: Database, identity: Identity): Promise<LtiPlatform[]> {
  requireRole(identity, "administrator");
  return (await db.selectFrom("lti_platform").selectAll().orderBy("name").orderBy("id").execute()).map(toPlatform);
}

/** Lists the names of the platforms, which organisers may know. */
export async function listPlatformNames({ db }: Database): Promise<string[]> {
  const rows = await db.selectFrom("lti_platform").select("name").distinct().orderBy("name").execute();
  return rows.map(({ name }) => name);
}

/**
 * Registers a platform, or replaces the one with the same issuer and client.
 * @throws KernelBotError `forbidden` if the caller is not an administrator; otherwise as `storePlatform`.
 */
export async function setPlatform(
  { db }: Database,
  identity: Identity,
  request: LtiPlatformRequest,
): Promise<LtiPlatform> {
  requireRole(identity, "administrator");
  return runTransaction(idempotent(db), (transaction) => storePlatform(transaction, identity, request));
}

/**
 * Stores a platform, or replaces the one with the same issuer and client, without a check of the caller.
 * @throws KernelBotError `unprocessable` for an address without https; `conflict` if a platform with the same issuer has
 * other keys.
 */
export async function storePlatform(
  transaction: Transaction<Tables>,
  by: Pick<Identity, "account">,
  { name, issuer, clientId, deployments, authorizeUrl, tokenUrl, jwksUrl }: LtiPlatformRequest,
): Promise<LtiPlatform> {
  for (const url of [authorizeUrl, tokenUrl, jwksUrl]) requireSecure(url);
  const urls = { authorize_url: authorizeUrl, token_url: tokenUrl, jwks_url: jwksUrl };
  const change = { name, deployments, ...urls };
  const other = await transaction
    .selectFrom("lti_platform")
    .select(["name", "jwks_url"])
    .where("issuer", "=", issuer)
    .where("client_id", "<>", clientId)
    .where("jwks_url", "<>", jwksUrl)
    .executeTakeFirst();
  // An account belongs to a user of the issuer, so the holder of other keys could sign in as that user.
  if (other !== undefined) {
    throw new KernelBotError(
      "conflict",
      `${other.name} has the issuer ${quote(issuer)} too, with the keys at ${other.jwks_url}; all platforms of an issuer must have the same keys`,
    );
  }
  const row = await transaction
    .insertInto("lti_platform")
    .values({ issuer, client_id: clientId, ...change })
    .onConflict((conflict) => conflict.columns(["issuer", "client_id"]).doUpdateSet(change))
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(transaction, by, "lti-platform", `LTI platform ${row.id}`, { issuer, clientId, ...change });
  return toPlatform(row);
}

/**
 * Removes a platform and revokes its links. The accounts of its users, and their memberships, remain.
 * @throws KernelBotError `forbidden` if the caller is not an administrator; `not_found`.
 */
export async function removePlatform({ db }: Database, identity: Identity, id: number): Promise<void> {
  requireRole(identity, "administrator");
  await runTransaction(db, async (transaction) => {
    await transaction
      .updateTable("lti_link")
      .set({ revoked_at: new Date() })
      .where("platform_id", "=", id)
      .where("revoked_at", "is", null)
      .execute();
    const row = await transaction.deleteFrom("lti_platform").where("id", "=", id).returning("name").executeTakeFirst();
    if (row === undefined) throw new KernelBotError("not_found", `learning platform ${id} not found`);
    await audit(transaction, identity, "remove-lti-platform", `LTI platform ${id}`, { name: row.name });
  });
}

/** Requests carry secrets and grades. */
function requireSecure(text: string): void {
  const url = new URL(text);
  if (url.protocol === "https:" || isLoopback(url.hostname.replace(/^\[|\]$/g, ""))) return;
  throw new KernelBotError("unprocessable", `${quote(text)} must begin with https://`);
}

function toPlatform(row: PlatformRow): LtiPlatform {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    deployments: row.deployments,
    authorizeUrl: row.authorize_url,
    tokenUrl: row.token_url,
    jwksUrl: row.jwks_url,
    createdAt: row.created_at.toISOString(),
  };
}
