/**
 * Sign-ins on their way to a provider. The state is bound to the browser that began: what comes back counts only with the
 * cookie that this browser was given then, once, and soon. So nobody can make another's browser end what he has begun.
 */
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { KernelBotError, type ProviderName } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hashOf, newSecret } from "./secret.ts";
import { networkOf, throttle } from "./throttle.ts";

export const STATE_S = 600;
const STARTS = { times: 30, windowS: 600, what: "to sign in from your network" };

export interface Begun {
  /** Goes to the provider and back. */
  state: string;
  /** Stays in the browser's cookie. */
  browserSecret: string;
  /** The challenge of PKCE (RFC 7636), method S256. */
  challenge: string;
}

export interface Returned {
  /** What the provider must be shown for its code. */
  verifier: string;
  /** The account that the identity is to be linked with; null where it is to be signed in. */
  accountId: string | null;
  /** The page to go on to. */
  next: string;
}

/** Begins a sign-in, or a linking with an account. @throws KernelBotError `too_many_requests`. */
export async function beginOAuth(
  database: Database,
  options: { provider: ProviderName; accountId: string | null; next: string; address: string },
): Promise<Begun> {
  const { provider, accountId, next, address } = options;
  await throttle(database, "oauth", networkOf(address), STARTS);
  const [state, browserSecret] = [newSecret(), newSecret()];
  await database.db
    .insertInto("oauth_state")
    .values({
      hash: hashOf(state),
      browser_hash: hashOf(browserSecret),
      provider,
      account_id: accountId,
      next,
      expires_at: sql<Date>`now() + make_interval(secs => ${STATE_S})`,
    })
    .execute();
  const challenge = hashOf(verifierOf(browserSecret, state)).toString("base64url");
  return { state, browserSecret, challenge };
}

/** Takes the state back, and uses it up. @throws KernelBotError `bad_request` where this browser did not begin it. */
export async function endOAuth(
  { db }: Database,
  provider: ProviderName,
  state: string,
  browserSecret: string,
): Promise<Returned> {
  const row = await db
    .deleteFrom("oauth_state")
    .where("hash", "=", hashOf(state))
    .where("browser_hash", "=", hashOf(browserSecret))
    .where("provider", "=", provider)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning(["account_id", "next"])
    .executeTakeFirst();
  if (row === undefined) {
    throw new KernelBotError(
      "bad_request",
      "this sign-in was not begun in this browser, took too long, or was used already; begin again",
    );
  }
  return { verifier: verifierOf(browserSecret, state), accountId: row.account_id, next: row.next };
}

/** The verifier of PKCE is in no database: it takes both what the browser keeps and what went to the provider. */
function verifierOf(browserSecret: string, state: string): string {
  return createHmac("sha256", browserSecret).update(state).digest("base64url");
}
