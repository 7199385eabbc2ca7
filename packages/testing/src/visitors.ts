/** All kinds of callers, for tests: a token of each kind, or none. */
import { ban } from "@kernelbot/server/src/moderation/ban.ts";
import { authenticate, createAccount, issueToken, revokeToken } from "@kernelbot/server/src/auth/tokens.ts";
import type { Role, Scope } from "@kernelbot/server/src/auth/identity.ts";
import type { TestServer } from "./server-with-problems.ts";

export const VISITORS = [
  /** No token. */
  "none",
  /** A participant who is not involved in the requested object. */
  "stranger",
  /** The participant who owns the requested object. */
  "owner",
  /** Tokens of the owner: one has expired, one is revoked. */
  "expired",
  "revoked",
  /** A participant who is banned. */
  "banned",
  /** A participant without roles whose token has the scope `admin`. */
  "unroled",
  /** An account with all roles whose token lacks the scope `admin`. */
  "unscoped",
  "organiser",
  "moderator",
  "administrator",
  "runner",
] as const;
export type Visitor = (typeof VISITORS)[number];
export type Tokens = Readonly<Record<Visitor, string | undefined>>;

/** Creates an account for each kind of caller, named after it, and returns the tokens. */
export async function visitorsOf(testServer: TestServer): Promise<Tokens> {
  const { database } = testServer;
  const account = async (name: string, roles: Role[] = []): Promise<string> =>
    (await createAccount(database, name, roles)).id;
  const token = (accountId: string, scopes: Scope[] = ["submit", "read"], expiresAt?: Date, targets?: string[]) =>
    issueToken(database, {
      accountId,
      label: "test",
      scopes,
      ...(expiresAt && { expiresAt }),
      ...(targets && { targets }),
    });
  const owner = await account("owner");
  const revoked = await token(owner);
  const { tokenId } = await authenticate(database, revoked);
  if (tokenId !== null) await revokeToken(database, tokenId);
  const administrator = await token(await account("administrator", ["administrator"]), ["submit", "read", "admin"]);
  const banned = await token(await account("banned"));
  await ban(database, await authenticate(database, administrator), { account: "banned", reason: "cheating" });
  return {
    none: undefined,
    stranger: await token(await account("stranger")),
    owner: await token(owner, ["submit", "read", "account"]),
    expired: await token(owner, ["submit", "read", "admin"], new Date(Date.now() - 1)),
    revoked,
    banned,
    unroled: await token(await account("unroled"), ["submit", "read", "admin"]),
    unscoped: await token(await account("unscoped", ["organiser", "moderator", "administrator"])),
    organiser: await token(await account("organiser", ["organiser"]), ["submit", "read", "admin"]),
    moderator: await token(await account("moderator", ["moderator"]), ["submit", "read", "admin"]),
    administrator,
    runner: await token(await account("runner"), ["runner"], undefined, ["cpu", "H100"]),
  };
}
