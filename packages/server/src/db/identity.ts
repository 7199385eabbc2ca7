import { KernelBotError, type Role, type Scope } from "@kernelbot/core";

export type { Role, Scope };

/** Who asks, as far as a token or a session tells. Made by `authenticate` and `authenticateSession` of people. */
export interface Identity {
  account: { id: string; name: string };
  /** The roles of the account. They count where the token has the scope `admin`: ask `hasRole`. */
  roles: readonly Role[];
  /** Why the account is banned; null where it is not. */
  banReason: string | null;
  scopes: readonly Scope[];
  /** The targets that the token may claim runs for. */
  targets: readonly string[];
  /** The token that speaks; null where a browser's session does. */
  tokenId: number | null;
  /** The session that speaks; null where a token does. */
  sessionId: number | null;
}

/**
 * @throws KernelBotError `forbidden` where the token lacks the scope, or its account is banned and the scope is more than
 * `read`; `admin` has all of them but `runner`.
 */
export function requireScope(identity: Identity, scope: Scope): void {
  if (identity.banReason !== null && scope !== "read") {
    throw new KernelBotError("forbidden", `the account ${identity.account.name} is banned: ${identity.banReason}`);
  }
  if (identity.scopes.includes(scope)) return;
  if (scope !== "runner" && identity.scopes.includes("admin")) return;
  throw new KernelBotError("forbidden", `this token may not ${VERB_OF_SCOPE[scope]}: it lacks the scope ${scope}`);
}

/** Whether the one who asks may act in this role: the account has it, and the token may use it. */
export function hasRole({ roles, scopes, banReason }: Identity, role: Role): boolean {
  return banReason === null && scopes.includes("admin") && (roles.includes(role) || roles.includes("administrator"));
}

/** @throws KernelBotError `forbidden` where the one who asks may not act in this role. */
export function requireRole(identity: Identity, role: Role): void {
  if (hasRole(identity, role)) return;
  // A person, in a browser or at Discord, has no token that could lack anything.
  if (identity.banReason !== null || identity.tokenId !== null) requireScope(identity, "admin");
  throw new KernelBotError("forbidden", `this is for the role ${role}, which ${identity.account.name} does not have`);
}

const VERB_OF_SCOPE: Record<Scope, string> = {
  submit: "submit or cancel",
  read: "read submissions",
  account: "manage the account and its tokens",
  runner: "claim or report runs",
  admin: "administer",
};
