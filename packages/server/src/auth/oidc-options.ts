/** Options of the OpenID Connect issuer and its groups, read from the environment. */
import { GroupName, quote, type Role } from "@kernelbot/core";
import { isLoopback } from "./loopback.ts";

/** What groups at the issuer mean here. */
export interface GroupRules {
  /** Claim that lists the groups. */
  claim: string;
  /** Groups that give each role. */
  roles: Readonly<Record<Role, readonly string[]>>;
  /** Groups of which a user must have one to sign in; empty for everyone. */
  required: readonly string[];
}

export interface OidcOptions {
  issuer: string;
  scope: string;
  /** Null if groups are not used. */
  groups: GroupRules | null;
  /** Hours after a sign-in at which its session and its groups end. */
  maxHours: number;
}

const DEFAULT_MAX_HOURS = 30 * 24;

/** Reads the variables that begin with the prefix. @param wrong Receives a sentence for each invalid variable. */
export function readOidcOptions(env: NodeJS.ProcessEnv, prefix: string, wrong: string[]): OidcOptions {
  const text = (name: string) => env[`${prefix}_${name}`] ?? "";
  const issuer = text("ISSUER");
  if (issuer !== "" && !isIssuer(issuer))
    wrong.push(`${prefix}_ISSUER: must be an https URL without query, or http on loopback`);
  const scope = text("SCOPES") || "openid profile";
  if (!scope.split(" ").includes("openid")) wrong.push(`${prefix}_SCOPES: must contain openid`);
  const hours = text("MAX_HOURS") || String(DEFAULT_MAX_HOURS);
  if (!/^[1-9]\d{0,3}$/.test(hours)) wrong.push(`${prefix}_MAX_HOURS: use a whole number of hours, from 1 to 9999`);

  const groupsOf = (name: string) => {
    const groups = text(name)
      .split(";")
      .map((group) => group.trim())
      .filter((group) => group !== "");
    for (const group of groups) {
      const [issue] = GroupName.safeParse(group).error?.issues ?? [];
      if (issue !== undefined) wrong.push(`${prefix}_${name}: ${quote(group.slice(0, 60))}: ${issue.message}`);
    }
    return groups;
  };
  const roles = {
    organiser: groupsOf("ORGANISER_GROUPS"),
    moderator: groupsOf("MODERATOR_GROUPS"),
    administrator: groupsOf("ADMINISTRATOR_GROUPS"),
  };
  const required = groupsOf("REQUIRED_GROUPS");
  const isUsed = text("GROUPS_CLAIM") !== "" || [...Object.values(roles), required].some((list) => list.length > 0);
  const groups = isUsed ? { claim: text("GROUPS_CLAIM") || "groups", roles, required } : null;
  return { issuer, scope, groups, maxHours: Number(hours) };
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, "")));
}
