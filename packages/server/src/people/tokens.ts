/** Accounts and the tokens that speak for them. A token is told once; only its hash is kept. */
import { sql, type ExpressionBuilder, type Kysely, type Selectable } from "kysely";
import {
  KernelBotError,
  quote,
  SCOPES,
  type AccountName,
  type NewToken,
  type Role,
  type Scope,
  type Token,
  type TokenRequest,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, requireScope, type Identity } from "../db/identity.ts";
import { perDatabase } from "../db/per-database.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { nameColumns, requireDistinct } from "./lookalikes.ts";
import { hashOf, newSecret } from "./secret.ts";

export interface TokenToIssue {
  accountId: string;
  /** What its owner calls it. */
  label: string;
  scopes: readonly Scope[];
  /** The targets that a runner's token may claim for. */
  targets?: readonly string[];
  /** How many names may join with it as runners; without a limit, unless given. */
  runners?: number;
  /** Never, unless given. */
  expiresAt?: Date;
}

const TOKEN = /^kb_[A-Za-z0-9_-]{43}$/;

/** How long an answer about a token may be remembered, in milliseconds: a revoked token is refused after this. */
const REMEMBER_MS = 500;
const MAX_REMEMBERED = 10_000;

/** Tokens that an account may have at once. */
const MAX_TOKENS = 100;

const OPERATOR = "operator";

/** Makes an account. @throws KernelBotError `conflict` where the name is taken, or looks like another. */
export async function createAccount({ db }: Database, name: string, roles: readonly Role[] = []): Promise<AccountName> {
  await requireDistinct(db, name);
  const account = await db
    .insertInto("account")
    .values({ ...nameColumns(name), roles: [...roles] })
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "name"])
    .executeTakeFirst();
  if (account === undefined) throw new KernelBotError("conflict", `there is already an account ${quote(name)}`);
  return account;
}

/** Makes a token and returns its text, which cannot be had again. */
export async function issueToken({ db }: Database, token: TokenToIssue): Promise<string> {
  return (await insertToken(db, token)).token;
}

/** Makes a token, perhaps in the transaction of what it is made for. */
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
  return { ...shown(row), token };
}

/**
 * Makes a token for the account that asks: it may do no more, and lives no longer, than what asks.
 * @throws KernelBotError `forbidden`, `unprocessable`, or `conflict` where there are too many.
 */
export async function createToken(database: Database, identity: Identity, request: TokenRequest): Promise<NewToken> {
  const { label, scopes, targets, runners, days } = request;
  requireScope(identity, "account");
  for (const scope of scopes) {
    if (scope === "runner") requireRole(identity, "administrator");
    else requireScope(identity, scope);
  }
  if (scopes.includes("runner") !== targets.length > 0) {
    throw new KernelBotError("unprocessable", "targets: name them for the scope runner, and for no other");
  }
  const { db } = database;
  const { count } = await db
    .selectFrom("token")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("account_id", "=", identity.account.id)
    .where(isAlive)
    // Those of runners that a server starts come and go by themselves.
    .where("holder", "is", null)
    .where(sql<boolean>`not exists (select from launch where launch.token_id = token.id and launch.ended_at is null)`)
    .executeTakeFirstOrThrow();
  if (count >= MAX_TOKENS) {
    throw new KernelBotError("conflict", `you have ${MAX_TOKENS} tokens, which is the most; revoke one first`);
  }
  const expiresAt = new Date(Date.now() + days * 86_400_000);
  const ends = await endOf(database, identity);
  if (ends !== null && ends < expiresAt) {
    throw new KernelBotError(
      "forbidden",
      `the token that asks ends at ${ends.toISOString()}, and cannot make one that lives longer; sign in again, or ask for fewer days`,
    );
  }
  return insertToken(db, {
    accountId: identity.account.id,
    label,
    scopes: [...new Set(scopes)],
    targets,
    ...(scopes.includes("runner") && { runners }),
    expiresAt,
  });
}

/** One's own tokens that are neither revoked nor expired, the newest first. */
export async function listTokens({ db }: Database, { account, tokenId }: Identity): Promise<Token[]> {
  const rows = await db
    .selectFrom("token")
    .select(SHOWN)
    .where("account_id", "=", account.id)
    .where(isAlive)
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => shown(row, tokenId));
}

/** Ends one of one's own tokens. @throws KernelBotError `not_found` where one has no such. */
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

/** Ends a token at once; every server process refuses it within a second. */
export async function revokeToken(database: Database, tokenId: number): Promise<void> {
  await retrying(() => revokeTokenIn(database.db, tokenId));
  forgetIdentities(database);
}

/** The same in the transaction of what ends with it; this process forgets it after that. @returns whether it was open. */
export async function revokeTokenIn(db: Kysely<Tables>, tokenId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("token")
    .set({ revoked_at: new Date() })
    .where("id", "=", tokenId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Who a token speaks for. @throws KernelBotError `unauthorized` where it is unknown, expired or revoked. */
export async function authenticate(database: Database, token: string): Promise<Identity> {
  if (!TOKEN.test(token)) throw unknownToken();
  const memory = remembered(database);
  const hash = hashOf(token);
  const key = hash.toString("base64");
  const known = memory.get(key);
  if (known !== undefined && known.until > performance.now()) return known.identity;
  const identity = lookUp(database, hash);
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(key, { identity, until: performance.now() + REMEMBER_MS });
  // A refusal is not remembered: it must not outlive a token that is issued next.
  identity.catch(() => memory.delete(key));
  return identity;
}

/**
 * Makes the account of the operator at the first start, with a token for all but running.
 * @returns the token, or null where the account exists already.
 */
export async function ensureOperator(database: Database): Promise<string | null> {
  const operator = await database.db
    .insertInto("account")
    .values({ id: OPERATOR, ...nameColumns(OPERATOR), roles: ["administrator"] })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (operator === undefined) return null;
  const scopes = SCOPES.filter((scope) => scope !== "runner");
  return issueToken(database, { accountId: operator.id, label: "first start", scopes });
}

async function lookUp({ db }: Database, hash: Buffer): Promise<Identity> {
  const row = await retrying(() =>
    db
      .selectFrom("token")
      .innerJoin("account", "account.id", "token.account_id")
      .select([
        "token.id",
        "token.scopes",
        "token.targets",
        "token.expires_at",
        "token.revoked_at",
        "token.last_used_at",
      ])
      .select(["account.id as accountId", "account.name", "account.roles", "account.ban_reason"])
      .where("token.hash", "=", hash)
      .executeTakeFirst(),
  );
  if (row === undefined) throw unknownToken();
  if (row.revoked_at !== null) throw new KernelBotError("unauthorized", "this token was revoked");
  if (row.expires_at !== null && row.expires_at.getTime() <= Date.now()) {
    throw new KernelBotError("unauthorized", `this token expired at ${row.expires_at.toISOString()}`);
  }
  // By the minute is exact enough, and spares a write for each request.
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

/** What is known of accounts has changed: every token is looked up anew. Other server processes follow within a second. */
export function forgetIdentities(database: Database): void {
  remembered(database).clear();
}

const remembered = perDatabase(() => new Map<string, { identity: Promise<Identity>; until: number }>());

/** What its owner sees of a token. */
const SHOWN = ["id", "label", "scopes", "targets", "created_at", "expires_at", "last_used_at"] as const;

function shown(row: Pick<Selectable<Tables["token"]>, (typeof SHOWN)[number]>, current?: number | null): Token {
  return {
    id: row.id,
    label: row.label,
    scopes: row.scopes,
    targets: row.targets,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    current: row.id === current,
  };
}

function isAlive(row: ExpressionBuilder<Tables, "token">) {
  const lasts = row.or([row("expires_at", "is", null), row("expires_at", ">", sql<Date>`now()`)]);
  return row.and([row("revoked_at", "is", null), lasts]);
}

/** When the token that asks ends; null where it does not, or a person asks. */
async function endOf({ db }: Database, { tokenId }: Identity): Promise<Date | null> {
  if (tokenId === null) return null;
  const row = await db.selectFrom("token").select("expires_at").where("id", "=", tokenId).executeTakeFirst();
  return row?.expires_at ?? null;
}

function unknownToken(): KernelBotError {
  return new KernelBotError("unauthorized", "this token is not known here; check that it was copied whole");
}
