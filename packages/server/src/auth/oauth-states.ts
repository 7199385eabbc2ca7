/**
 * Pending OAuth sign-ins. The state is bound to the browser that started: the callback is only accepted with that
 * browser's cookie, once and before it expires. This prevents login CSRF, where another browser completes an attacker's
 * sign-in.
 */
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { KernelBotError, type OAuthProviderName } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hashOf, newSecret } from "./secret.ts";
import { networkOf, throttle } from "./rate-limits.ts";

export const STATE_S = 600;
/**
 * Protects the database, not a secret: a state has 256 bits, and codes are checked by the provider. Above the size of a
 * class, whose members often share one address.
 */
const STARTS = { times: 300, windowS: 600, what: "to sign in from your network" };

interface Begun {
  /** Sent to the provider and returned by it. */
  state: string;
  /** Stored in a cookie of the browser. */
  browserSecret: string;
  /** The challenge of PKCE (RFC 7636), method S256. */
  challenge: string;
  /** Binds an ID token to this sign-in (OpenID Connect). */
  nonce: string;
}

export interface Returned {
  /** PKCE verifier, sent to the provider with the code. */
  verifier: string;
  nonce: string;
  /** Account to link the identity with; null to sign in. */
  accountId: string | null;
  /** Page to redirect to. */
  next: string;
}

/** Starts a sign-in, or linking with an account. @throws KernelBotError `too_many_requests`. */
export async function beginOAuth(
  database: Database,
  options: { provider: OAuthProviderName; accountId: string | null; next: string; address: string },
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
  const challenge = hashOf(derived("verifier", browserSecret, state)).toString("base64url");
  return { state, browserSecret, challenge, nonce: derived("nonce", browserSecret, state) };
}

/**
 * Validates and deletes a returned state. @throws KernelBotError `bad_request` if it is unknown, expired, or was
 * started in another browser.
 */
export async function endOAuth(
  { db }: Database,
  provider: OAuthProviderName,
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
      "this sign-in was started in another browser, has expired, or was already used; start again",
    );
  }
  return {
    verifier: derived("verifier", browserSecret, state),
    nonce: derived("nonce", browserSecret, state),
    accountId: row.account_id,
    next: row.next,
  };
}

/** Derives the PKCE verifier or the nonce from the browser's secret and the state. Neither is stored in the database. */
function derived(what: "verifier" | "nonce", browserSecret: string, state: string): string {
  return createHmac("sha256", browserSecret).update(`${what} ${state}`).digest("base64url");
}
