/** Accounts and their API tokens. A token is returned once; only its hash is stored. */
import { sql, type ExpressionBuilder, type Kysely, type Selectable } from "kysely";
import {
  KernelBotError,
  quote,
  compareTargets,
  type AccountName,
  type NewToken,
  type Role,
  type Scope,
  type Token,
  type TokenRequest,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, requireScope, type Identity } from "./identity.ts";
import { perDatabase } from "../db/per-database.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { lockAccount } from "./lock-account.ts";
import { nameColumns, requireDistinct } from "./lookalikes.ts";
import { hashOf, newSecret } from "./secret.ts";

interface TokenToIssue {
  accountId: string;
  /** Name of the token, chosen by its owner. */
  label: string;
  scopes: readonly Scope[];
  /** Targets that a runner token may claim runs of. */
  targets?: readonly string[];
  /** Maximum number of runner names that may join with the token. Default: unlimited. */
  runners?: number;
  /** Default: never. */
  expiresAt?: Date;
}

const TOKEN = /^kb_[A-Za-z0-9_-]{43}$/;
/** A token, or a secret of the same strength that another KernelBot issued to its client and that was imported. */
export const CLIENT_ID = /^[\x21-\x7e]{32,255}$/;

/** How long the identity of a token is cached, in milliseconds; other servers accept a revoked token for this long. */
const REMEMBER_MS = 500;
const MAX_REMEMBERED = 10_000;

/** Maximum number of valid tokens of an account. */
const MAX_TOKENS = 100;

/** Creates an account. @throws KernelBotError `conflict` if the name is taken or looks like that of another account. */
export async function createAccount({ db }: Database, name: string, roles: readonly Role[] = []): Promise<AccountName> {
  await requireDistinct(db, name);
  const account = await db
    .insertInto("account")
    .values({ ...nameColumns(name), assigned_roles: [...roles] })
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "name"])
    .executeTakeFirst();
  if (account === undefined) throw new KernelBotError("conflict", `an account already has the name ${quote(name)}`);
  return account;
}

/** Creates a token and returns its text, which cannot be retrieved later. */
export async function issueToken({ db }: Database, token: TokenToIssue): Promise<string> {
  return (await insertToken(db, token)).token;
}

/** Creates a token, optionally within the caller's transaction. */
export async function insertToken(db: Kysely<Tables>, request: TokenToIssue): Promise<NewToken> {
  const token = `kb_${newSecret()}`;
  const row = await db
    .insertInto("token")
    .values({
      account_id: request.accountId,
      hash: hashOf(token),
      label: request.label,
      scopes: [...request.scopes],
      targets: [...(request.targets ?? [])],
      runners: request.runners ?? null,
      expires_at: request.expiresAt ?? null,
    })
    .returning(SHOWN)
    .executeTakeFirstOrThrow();
  return { ...toToken(row), token, warnings: [] };
}

/**
 * Creates a token for the caller. Its scopes and expiry must not exceed those of the token that the caller uses.
 * @throws KernelBotError `forbidden`; `unprocessable`; `conflict` if the account has too many tokens.
 */
export async function createToken(database: Database, identity: Identity, request: TokenRequest): Promise<NewToken> {
  const { label, scopes, targets, runners, days } = request;
  requireScope(identity, "account");
  for (const scope of scopes) {
    if (scope === "runner") requireRole(identity, "administrator");
    else requireScope(identity, scope);
  }
  if (scopes.includes("runner") !== targets.length > 0) {
    throw new KernelBotError("unprocessable", "targets: required with the scope runner, and not allowed without it");
  }
  const expiresAt = new Date(Date.now() + days * 86_400_000);
  return runTransaction(database.db, async (transaction) => {
    await lockAccount(transaction, identity.account.id);
    await requireFewerTokens(transaction, identity);
    const ends = await findExpiry(transaction, identity);
    if (ends !== null && ends < expiresAt) {
      throw new KernelBotError(
        "forbidden",
        `the token in use expires at ${ends.toISOString()} and cannot create one that expires later; sign in again, or choose fewer days`,
      );
    }
    return insertToken(transaction, {
      accountId: identity.account.id,
      label,
      scopes: [...new Set(scopes)],
      targets,
      ...(scopes.includes("runner") && { runners }),
      expiresAt,
    });
  });
}

async function requireFewerTokens(db: Kysely<Tables>, { account }: Identity): Promise<void> {
  const { count } = await db
    .selectFrom("token")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("account_id", "=", account.id)
    .where(isValidToken)
    // Tokens of runners that the server or a launcher starts do not count.
    .where("local_runner", "is", null)
    .where(sql<boolean>`not exists (select from launch where launch.token_id = token.id and launch.ended_at is null)`)
    .executeTakeFirstOrThrow();
  if (count >= MAX_TOKENS) {
    throw new KernelBotError("conflict", `you have ${MAX_TOKENS} tokens, which is the maximum; revoke one first`);
  }
}

/** Lists the caller's tokens that are neither revoked nor expired, the newest first. */
export async function listTokens({ db }: Database, { account, tokenId }: Identity): Promise<Token[]> {
  const rows = await db
    .selectFrom("token")
    .select(SHOWN)
    .where("account_id", "=", account.id)
    .where(isValidToken)
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => toToken(row, tokenId));
}

/** Revokes one of the caller's tokens. @throws KernelBotError `not_found`. */
export async function revokeOwnToken(database: Database, { account }: Identity, tokenId: number): Promise<void> {
  const own = await database.db
    .selectFrom("token")
    .select("id")
    .where("id", "=", tokenId)
    .where("account_id", "=", account.id)
    .executeTakeFirst();
  if (own === undefined) throw new KernelBotError("not_found", `you have no token ${tokenId}`);
  await revokeToken(database, tokenId);
}

/** Revokes a token. Every server process rejects it within a second. */
export async function revokeToken(database: Database, tokenId: number): Promise<void> {
  await revokeTokenIn(idempotent(database.db), tokenId);
  forgetIdentities(database);
}

/**
 * Revokes a token within the caller's transaction. The caller must call `forgetIdentities` after the commit. @returns
 * whether the token was valid.
 */
export async function revokeTokenIn(db: Kysely<Tables>, tokenId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("token")
    .set({ revoked_at: new Date() })
    .where("id", "=", tokenId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Returns the identity of a token. Cached for `REMEMBER_MS`.
 * @param format Format of valid tokens; others are not looked for.
 * @throws KernelBotError `unauthorized` if the token is unknown, expired or revoked.
 */
export async function authenticate(database: Database, token: string, format = TOKEN): Promise<Identity> {
  if (!format.test(token)) throw unknownToken();
  const memory = identityCache(database);
  const hash = hashOf(token);
  const key = hash.toString("base64");
  const known = memory.get(key);
  if (known !== undefined && known.until > performance.now()) return known.identity;
  const identity = readIdentity(database, hash);
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(key, { identity, until: performance.now() + REMEMBER_MS });
  // A refusal is cached too: the limits of clients and the route both read the token of a request.
  identity.catch((error: unknown) => isRefusal(error) || memory.delete(key));
  return identity;
}

async function readIdentity({ db }: Database, hash: Buffer): Promise<Identity> {
  const row = await db
    .selectFrom("token")
    .innerJoin("account", "account.id", "token.account_id")
    .select(["token.id", "token.scopes", "token.targets", "token.expires_at", "token.revoked_at", "token.last_used_at"])
    .select(["account.id as accountId", "account.name", "account.roles", "account.ban_reason"])
    .where("token.hash", "=", hash)
    // A request that began before an erasure may have created one.
    .where("account.erased_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) throw unknownToken();
  if (row.revoked_at !== null) throw new KernelBotError("unauthorized", "this token was revoked");
  if (row.expires_at !== null && row.expires_at.getTime() <= Date.now()) {
    throw new KernelBotError("unauthorized", `this token expired at ${row.expires_at.toISOString()}`);
  }
  // A precision of one minute is enough and saves a write per request.
  if (row.last_used_at === null || Date.now() - row.last_used_at.getTime() > 60_000) {
    await db.updateTable("token").set({ last_used_at: new Date() }).where("id", "=", row.id).execute();
  }
  return {
    account: { id: row.accountId, name: row.name },
    roles: row.roles,
    banReason: row.ban_reason,
    scopes: row.scopes,
    targets: row.targets,
    tokenId: row.id,
    sessionId: null,
  };
}

/**
 * Clears the cache of token identities after an account or token has changed. Other server processes follow within a
 * second.
 */
export function forgetIdentities(database: Database): void {
  identityCache(database).clear();
}

const identityCache = perDatabase(() => new Map<string, { identity: Promise<Identity>; until: number }>());

/** Columns of a token that its owner sees. */
const SHOWN = ["id", "label", "scopes", "targets", "created_at", "expires_at", "last_used_at"] as const;

function toToken(row: Pick<Selectable<Tables["token"]>, (typeof SHOWN)[number]>, current?: number | null): Token {
  return {
    id: row.id,
    label: row.label,
    scopes: row.scopes,
    targets: row.targets.toSorted(compareTargets),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    current: row.id === current,
  };
}

function isValidToken(row: ExpressionBuilder<Tables, "token">) {
  const lasts = row.or([row("expires_at", "is", null), row("expires_at", ">", sql<Date>`now()`)]);
  return row.and([row("revoked_at", "is", null), lasts]);
}

/** Returns when the caller's token expires; null if it does not expire or the caller uses a session. */
async function findExpiry(db: Kysely<Tables>, { tokenId }: Identity): Promise<Date | null> {
  if (tokenId === null) return null;
  const row = await db.selectFrom("token").select("expires_at").where("id", "=", tokenId).executeTakeFirst();
  return row?.expires_at ?? null;
}

function isRefusal(error: unknown): boolean {
  return error instanceof KernelBotError && error.code === "unauthorized";
}

function unknownToken(): KernelBotError {
  return new KernelBotError(
    "unauthorized",
    "this token is unknown to this server; check that it was copied completely",
  );
}
