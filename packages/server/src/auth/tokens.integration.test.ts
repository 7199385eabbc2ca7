import { expect, test } from "vitest";
import type { Role, Scope, TokenRequest } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { requireRole, requireScope, type Identity } from "./identity.ts";
import {
  authenticate,
  createAccount,
  createToken,
  insertToken,
  issueToken,
  listTokens,
  revokeOwnToken,
  revokeToken,
} from "./tokens.ts";

test("a token authenticates its account, with its scopes and targets", async () => {
  await using database = await testDatabase();
  const { id } = await createAccount(database, "ann");
  const token = await issueToken(database, { accountId: id, label: "box", scopes: ["runner"], targets: ["cpu"] });
  expect(token).toMatch(/^kb_[A-Za-z0-9_-]{43}$/);
  expect(await authenticate(database, token)).toMatchObject({
    account: { id, name: "ann" },
    scopes: ["runner"],
    targets: ["cpu"],
  });
});

test("the database stores no token", async () => {
  await using database = await testDatabase();
  const { id } = await createAccount(database, "ann");
  const token = await issueToken(database, { accountId: id, label: "x", scopes: ["read"] });
  const rows = await database.sql`select token::text as row from token`;
  expect(JSON.stringify(rows)).not.toContain(token.slice(3));
});

test.each(["", "kb_", "Bearer None", `kb_${"A".repeat(43)}`, "kb_\0"])("rejects the token %j", async (token) => {
  await using database = await testDatabase();
  await expect(authenticate(database, token)).rejects.toMatchObject({ code: "unauthorized" });
});

test("a revoked token is rejected immediately where it was revoked", async () => {
  await using database = await testDatabase();
  const { id } = await createAccount(database, "ann");
  const { id: tokenId, token } = await insertToken(database.db, { accountId: id, label: "x", scopes: ["read"] });
  await authenticate(database, token);
  await revokeToken(database, tokenId);
  await expect(authenticate(database, token)).rejects.toThrow("this token was revoked");
});

test("rejects an expired token", async () => {
  await using database = await testDatabase();
  const { id } = await createAccount(database, "ann");
  const expiresAt = new Date("2020-01-01T00:00:00Z");
  const token = await issueToken(database, { accountId: id, label: "x", scopes: ["read"], expiresAt });
  await expect(authenticate(database, token)).rejects.toThrow("this token expired at 2020-01-01T00:00:00.000Z");
});

test("records the last use of a token", async () => {
  await using database = await testDatabase();
  const { id } = await createAccount(database, "ann");
  await authenticate(database, await issueToken(database, { accountId: id, label: "x", scopes: ["read"] }));
  const row = await database.db.selectFrom("token").select("last_used_at").executeTakeFirstOrThrow();
  expect(row.last_used_at).toBeInstanceOf(Date);
});

test("a name belongs to one account", async () => {
  await using database = await testDatabase();
  await createAccount(database, "ann");
  await expect(createAccount(database, "ann")).rejects.toMatchObject({ code: "conflict" });
});

test("an administrator has every scope except runner", () => {
  expect(() => requireScope(admin(), "submit")).not.toThrow();
  expect(() => requireScope(admin(), "runner")).toThrow("this token may not claim or report runs");
  expect(() => requireRole(admin(), "moderator")).not.toThrow();
});

test("a role requires a token with the scope admin, and the scope requires an account with the role", () => {
  expect(() => requireRole(admin({ scopes: ["submit", "read"] }), "administrator")).toThrow("lacks the scope admin");
  expect(() => requireRole(admin({ roles: ["moderator"] }), "administrator")).toThrow(
    "this requires the role administrator, which root does not have",
  );
  expect(() => requireRole(admin({ roles: [] }), "moderator")).toThrow("this requires the role moderator");
});

test("the error for a caller without a token names only the role", () => {
  const person = admin({ tokenId: null, roles: [], scopes: ["submit", "read", "account"] });
  expect(() => requireRole(person, "moderator")).toThrow("this requires the role moderator, which root does not have");
});

test("a banned account can only read, also with roles", () => {
  const banned = admin({ banReason: "sold its token" });
  expect(() => requireScope(banned, "read")).not.toThrow();
  expect(() => requireScope(banned, "submit")).toThrow("the account root is banned: sold its token");
  expect(() => requireRole(banned, "moderator")).toThrow("banned");
});

function admin(change: Partial<Identity> = {}): Identity {
  const account = { id: "a", name: "root" };
  return {
    account,
    roles: ["administrator"],
    banReason: null,
    scopes: ["read", "admin"],
    targets: [],
    tokenId: 1,
    sessionId: null,
    ...change,
  };
}

const REQUEST: TokenRequest = { label: "ci", scopes: ["submit"], targets: [], runners: 1, days: 30 };

test("a token cannot have more permissions than its creator", async () => {
  await using database = await testDatabase();
  const owner = await tokenOf(database, ["submit", "account"]);
  const made = await createToken(database, owner, REQUEST);
  expect(await authenticate(database, made.token)).toMatchObject({ account: owner.account, scopes: ["submit"] });
  const create = (scopes: Scope[], targets: string[] = []) =>
    createToken(database, owner, { ...REQUEST, scopes, targets });
  await expect(create(["read"])).rejects.toThrow("lacks the scope read");
  await expect(create(["admin"])).rejects.toThrow("lacks the scope admin");
  await expect(create(["runner"], ["cpu"])).rejects.toMatchObject({ code: "forbidden" });
});

test("a token without the scope account cannot create tokens", async () => {
  await using database = await testDatabase();
  const owner = await tokenOf(database, ["submit", "read"]);
  await expect(createToken(database, owner, REQUEST)).rejects.toThrow("scope account");
});

test("only administrators create runner tokens, with their targets", async () => {
  await using database = await testDatabase();
  const root = await tokenOf(database, ["admin"], ["administrator"]);
  const made = await createToken(database, root, { ...REQUEST, scopes: ["runner"], targets: ["cpu"] });
  expect(await authenticate(database, made.token)).toMatchObject({ scopes: ["runner"], targets: ["cpu"] });
  await expect(createToken(database, root, { ...REQUEST, scopes: ["runner"] })).rejects.toThrow(
    "targets: required with the scope runner",
  );
  const moderator = await tokenOf(database, ["admin"], ["moderator"]);
  await expect(createToken(database, moderator, { ...REQUEST, scopes: ["runner"], targets: ["cpu"] })).rejects.toThrow(
    "requires the role administrator",
  );
});

test("a token cannot create one that expires later", async () => {
  await using database = await testDatabase();
  const owner = await tokenOf(database, ["submit", "account"], [], new Date(Date.now() + 86_400_000));
  await expect(createToken(database, owner, REQUEST)).rejects.toThrow("cannot create one that expires later");
  await expect(createToken(database, owner, { ...REQUEST, days: 1 })).rejects.toThrow(
    "cannot create one that expires later",
  );
});

test("concurrent requests cannot create more tokens than the maximum", async () => {
  await using database = await testDatabase();
  const owner = await tokenOf(database, ["submit", "account"]);
  for (let n = 0; n < 97; n += 1) await issueToken(database, { ...REQUEST, accountId: owner.account.id });
  const created = await Promise.allSettled([1, 2, 3, 4, 5].map(() => createToken(database, owner, REQUEST)));
  expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  await expect(createToken(database, owner, REQUEST)).rejects.toThrow("you have 100 tokens, which is the maximum");
});

test("lists and revokes only the caller's tokens; expired and revoked ones are not listed", async () => {
  await using database = await testDatabase();
  const owner = await tokenOf(database, ["submit", "account"]);
  const other = await tokenOf(database, ["submit", "account"]);
  const { id } = await createToken(database, owner, REQUEST);
  expect((await listTokens(database, owner)).map(({ label, current }) => [label, current])).toEqual([
    ["ci", false],
    ["test", true],
  ]);
  await expect(revokeOwnToken(database, other, id)).rejects.toMatchObject({ code: "not_found" });
  await revokeOwnToken(database, owner, id);
  expect(await listTokens(database, owner)).toHaveLength(1);
});

async function tokenOf(database: Database, scopes: Scope[], roles: Role[] = [], expiresAt?: Date): Promise<Identity> {
  const { id } = await createAccount(database, `owner ${Math.random()}`, roles);
  const token = { accountId: id, label: "test", scopes, ...(expiresAt && { expiresAt }) };
  return authenticate(database, await issueToken(database, token));
}
