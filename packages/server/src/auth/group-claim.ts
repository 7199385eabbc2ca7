/** Reads the groups of a user from the claims of an OpenID Connect issuer. */
import { GroupName, ROLES, type Role } from "@kernelbot/core";
import type { GroupRules } from "./oidc-options.ts";

/** Groups that an issuer lists, and what they mean here. */
export interface VouchedGroups {
  names: readonly string[];
  /** Roles that these groups give. */
  roles: readonly Role[];
  /** Whether one of the groups may sign in. */
  mayEnter: boolean;
}

/** Maximum number of groups of a user. Issuers that list more can be set to list only those of this application. */
const MAX_GROUPS = 1000;

/**
 * Returns the groups in the claims. A missing claim means no groups, since issuers omit an empty list. Names that could
 * not be configured here are left out.
 * @throws Error where the list is incomplete or has another form: taking it as empty would remove the user's roles.
 */
export function groupsIn(claims: Readonly<Record<string, unknown>>, rules: GroupRules | null): VouchedGroups {
  if (rules === null) return { names: [], roles: [], mayEnter: true };
  const listed = claims[rules.claim] ?? (hasOverage(claims, rules.claim) ? undefined : []);
  if (listed === undefined)
    throw new Error(`the user has more groups than the issuer lists in the claim ${rules.claim}`);
  // Some issuers write a list of one as its element.
  const list: unknown[] = Array.isArray(listed) ? listed : [listed];
  if (!list.every((name) => typeof name === "string"))
    throw new Error(`the claim ${rules.claim} is not a list of texts`);
  const names = [...new Set(list)].filter((name) => GroupName.safeParse(name).success).toSorted();
  if (names.length > MAX_GROUPS)
    throw new Error(`the claim ${rules.claim} lists ${names.length} groups; at most ${MAX_GROUPS} are read`);
  const has = (groups: readonly string[]) => groups.some((group) => names.includes(group));
  return { names, roles: rolesOf(names, rules), mayEnter: rules.required.length === 0 || has(rules.required) };
}

/** Returns the roles that groups give. */
export function rolesOf(groups: readonly string[], rules: GroupRules): Role[] {
  return ROLES.filter((role) => rules.roles[role].some((group) => groups.includes(group))).toSorted();
}

/** Returns whether Microsoft Entra left the groups out because there are more than 200. */
function hasOverage(claims: Readonly<Record<string, unknown>>, claim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims;
  const isElsewhere = typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, claim);
  return isElsewhere || hasgroups === true || hasgroups === "true";
}
