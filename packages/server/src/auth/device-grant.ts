/**
 * Device authorization grant (RFC 8628): a program signs in with a code that its owner confirms in a browser.
 *
 *     asked --confirm--> granted --poll--> (deleted: the program has its token)
 *       |
 *       +---deny---> denied --poll--> (deleted)            every state: expires, then deleted
 */
import { randomInt } from "node:crypto";
import { sql } from "kysely";
import { KernelBotError, quote, TOKEN_DAYS, type Scope } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { runTransaction } from "../db/transaction.ts";
import { requireScope, type Identity } from "./identity.ts";
import { hashOf, newSecret } from "./secret.ts";
import { networkOf, throttle } from "./rate-limits.ts";
import { insertToken } from "./tokens.ts";

export const DEVICE_CODE_S = 600;
/** Polling interval in seconds, and its increase after a poll that came too early. */
const INTERVAL_S = 5;
const SLOWER_S = 5;

/**
 * Letters of user codes: consonants, so that codes form no words, and none that is confused with another. 20^8 codes.
 */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LETTERS = 8;

const ASKS = { times: 20, windowS: 600, what: "to sign in from your network" };
/** Per account. At 20 guesses per 10 minutes, hitting one of 100 open codes takes about 25 000 years. */
const GUESSES = { times: 20, windowS: 600, what: "with a code" };

/** Sign-in request of a program, as shown to its owner. */
interface PendingGrant {
  userCode: string;
  scopes: Scope[];
  /** Network address of the program. */
  address: string;
  askedAt: string;
}

/** Result of a poll. */
export type PollResult =
  | { state: "granted"; token: string; scopes: Scope[]; days: number }
  | { state: "authorization_pending" | "slow_down" | "access_denied" | "expired_token" };

/** Starts a sign-in. @returns the code for the program, and the code for its owner to type. */
export async function startDeviceGrant(
  database: Database,
  scopes: readonly Scope[],
  address: string,
): Promise<{ deviceCode: string; userCode: string; intervalS: number }> {
  await throttle(database, "device", networkOf(address), ASKS);
  const deviceCode = newSecret();
  const letters = Array.from({ length: CODE_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  await database.db
    .insertInto("device_code")
    .values({
      hash: hashOf(deviceCode),
      user_code: userCode,
      scopes: [...scopes],
      address,
      interval_s: INTERVAL_S,
      expires_at: sql<Date>`now() + make_interval(secs => ${DEVICE_CODE_S})`,
    })
    .execute();
  return { deviceCode, userCode, intervalS: INTERVAL_S };
}

/**
 * Returns the pending request for the code that the owner typed.
 * @throws KernelBotError `not_found` if there is none; `too_many_requests` after too many guesses.
 */
export async function findPendingGrant(
  database: Database,
  { account }: Identity,
  typed: string,
): Promise<PendingGrant> {
  await throttle(database, "device-guess", account.id, GUESSES);
  const row = await database.db
    .selectFrom("device_code")
    .select(["user_code", "scopes", "address", "created_at"])
    .where("user_code", "=", codeOf(typed))
    .where("account_id", "is", null)
    .where("denied", "=", false)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined) throw unknownCode(typed);
  return {
    userCode: row.user_code,
    scopes: row.scopes,
    address: row.address,
    askedAt: row.created_at.toISOString(),
  };
}

/**
 * Grants or denies a request.
 * @throws KernelBotError `forbidden` if the request has scopes that the caller lacks; the errors of `findAsking`.
 */
export async function decideDeviceGrant(
  database: Database,
  identity: Identity,
  typed: string,
  grant: boolean,
): Promise<void> {
  const { userCode, scopes } = await findPendingGrant(database, identity, typed);
  if (grant) for (const scope of scopes) requireScope(identity, scope);
  const decided = await database.db
    .updateTable("device_code")
    .set(grant ? { account_id: identity.account.id } : { denied: true })
    .where("user_code", "=", userCode)
    .where("account_id", "is", null)
    .where("denied", "=", false)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("user_code")
    .executeTakeFirst();
  if (decided === undefined) throw unknownCode(typed);
}

/** Returns the program's token, once, or why there is none yet. */
export async function pollDevice({ db }: Database, deviceCode: string): Promise<PollResult> {
  return runTransaction(db, async (transaction) => {
    const row = await transaction
      .selectFrom("device_code")
      .select(["account_id", "denied", "scopes", "address", "interval_s"])
      .select(sql<boolean>`expires_at <= now()`.as("hasExpired"))
      .select(sql<boolean>`coalesce(polled_at > now() - make_interval(secs => interval_s), false)`.as("isEarly"))
      .where("hash", "=", hashOf(deviceCode))
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined || row.hasExpired) return { state: "expired_token" };
    const own = transaction.updateTable("device_code").where("hash", "=", hashOf(deviceCode));
    if (row.isEarly) {
      await own.set({ interval_s: row.interval_s + SLOWER_S, polled_at: sql<Date>`now()` }).execute();
      return { state: "slow_down" };
    }
    if (row.account_id === null && !row.denied) {
      await own.set({ polled_at: sql<Date>`now()` }).execute();
      return { state: "authorization_pending" };
    }
    await transaction.deleteFrom("device_code").where("hash", "=", hashOf(deviceCode)).execute();
    if (row.account_id === null) return { state: "access_denied" };
    const { token } = await insertToken(transaction, {
      accountId: row.account_id,
      label: `kernelbot login from ${row.address}`,
      scopes: row.scopes,
      expiresAt: new Date(Date.now() + TOKEN_DAYS * 86_400_000),
    });
    return { state: "granted", token, scopes: row.scopes, days: TOKEN_DAYS };
  });
}

/** Normalises a typed code. */
function codeOf(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, "");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function unknownCode(typed: string): KernelBotError {
  return new KernelBotError(
    "not_found",
    `no device is waiting for the code ${quote(typed)}; codes last ${DEVICE_CODE_S / 60} minutes and can be used once`,
  );
}
