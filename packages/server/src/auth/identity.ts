import { KernelBotError, type Role, type Scope } from "@kernelbot/core";

export type { Role, Scope };

/**
 * The authenticated caller. Created by `authenticate` (token) and `authenticateSession` (browser session) of people.
 */
export interface Identity {
  account: { id: string; name: string };
  /** The roles of the account. They count only when the token has the scope `admin`; use `hasRole`. */
  roles: readonly Role[];
  /** Why the account is banned; null if not banned. */
  banReason: string | null;
  scopes: readonly Scope[];
  /** The targets that the token may claim runs for. */
  targets: readonly string[];
  /** The caller's token; null for a browser session. */
  tokenId: number | null;
  /** The caller's browser session; null for a token. */
  sessionId: number | null;
}

/**
 * Requires a scope. The scope `admin` includes every scope except `runner`.
 * @throws KernelBotError `forbidden` when the token lacks the scope, or the account is banned and the scope is not
 * `read`.
 */
export function requireScope(identity: Identity, scope: Scope): void {
  if (identity.banReason !== null && scope !== "read") {
    throw new KernelBotError("forbidden", `the account ${identity.account.name} is banned: ${identity.banReason}`);
  }
  if (identity.scopes.includes(scope)) return;
  if (scope !== "runner" && identity.scopes.includes("admin")) return;
  throw new KernelBotError("forbidden", `this token may not ${VERB_OF_SCOPE[scope]}: it lacks the scope ${scope}`);
}

/** Returns whether the caller may act in this role: the account has the role, and the token has the scope `admin`. */
export function hasRole({ roles, scopes, banReason }: Identity, role: Role): boolean {
  return banReason === null && scopes.includes("admin") && (roles.includes(role) || roles.includes("administrator"));
}

/** Requires a role. @throws KernelBotError `forbidden` when the caller may not act in it. */
export function requireRole(identity: Identity, role: Role): void {
  if (hasRole(identity, role)) return;
  // Callers from a browser or from Discord have no token, so no missing scope is reported to them.
  if (identity.banReason !== null || identity.tokenId !== null) requireScope(identity, "admin");
  throw new KernelBotError("forbidden", `this requires the role ${role}, which ${identity.account.name} does not have`);
}

const VERB_OF_SCOPE: Record<Scope, string> = {
  submit: "submit or cancel",
  read: "read submissions",
  account: "manage the account and its tokens",
  runner: "claim or report runs",
  admin: "administer",
};
