/** Accounts and the tokens that speak for them. A token is told once; only its hash is kept. */
import { createHash, randomBytes } from "node:crypto";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { SCOPES, type Identity, type Role, type Scope } from "../db/identity.ts";
import { perDatabase } from "../db/per-database.ts";
import { retrying } from "../db/retry.ts";

export interface Account {
  id: string;
  name: string;
}

export interface TokenRequest {
  accountId: string;
  /** What its owner calls it. */
  label: string;
  scopes: readonly Scope[];
  /** The targets that a runner's token may claim for. */
  targets?: readonly string[];
  /** Never, unless given. */
  expiresAt?: Date;
}

/** 256 bits, so that guessing is hopeless and a plain hash is enough. */
const TOKEN_BYTES = 32;
const TOKEN = /^kb_[A-Za-z0-9_-]{43}$/;

/** How long an answer about a token may be remembered, in milliseconds: a revoked token is refused after this. */
const REMEMBER_MS = 500;
const MAX_REMEMBERED = 10_000;

const OPERATOR = "operator";

/** Makes an account. @throws KernelBotError `conflict` where the name is taken. */
export async function createAccount({ db }: Database, name: string, roles: readonly Role[] = []): Promise<Account> {
  const account = await db
    .insertInto("account")
    .values({ name, roles: [...roles] })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning(["id", "name"])
    .executeTakeFirst();
  if (account === undefined) throw new KernelBotError("conflict", `there is already an account ${quote(name)}`);
  return account;
}

/** Makes a token and returns its text, which cannot be had again. */
export async function issueToken({ db }: Database, request: TokenRequest): Promise<string> {
  const token = `kb_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  await db
    .insertInto("token")
    .values({
      account_id: request.accountId,
      hash: hashOf(token),
      label: request.label,
      scopes: [...request.scopes],
      targets: [...(request.targets ?? [])],
      expires_at: request.expiresAt ?? null,
    })
    .execute();
  return token;
}

/** Ends a token at once; every server process refuses it within a second. */
export async function revokeToken(database: Database, tokenId: number): Promise<void> {
  const { db } = database;
  await retrying(() =>
    db
      .updateTable("token")
      .set({ revoked_at: new Date() })
      .where("id", "=", tokenId)
      .where("revoked_at", "is", null)
      .execute(),
  );
  forgetIdentities(database);
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
    .values({ id: OPERATOR, name: OPERATOR, roles: ["administrator"] })
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
  };
}

/** What is known of accounts has changed: every token is looked up anew. Other server processes follow within a second. */
export function forgetIdentities(database: Database): void {
  remembered(database).clear();
}

const remembered = perDatabase(() => new Map<string, { identity: Promise<Identity>; until: number }>());

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function unknownToken(): KernelBotError {
  return new KernelBotError("unauthorized", "this token is not known here; check that it was copied whole");
}
