/** Accounts, roles, tokens, sessions, sign-in and the audit log. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { TargetName } from "../vocabulary/specification.ts";

export const SCOPES = ["submit", "read", "account", "runner", "admin"] as const;
/**
 * Permission of a token: submit and cancel, read, manage the account and its tokens, claim and report runs, or act with
 * the roles of its account.
 */
export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** Descriptions of the scopes, shown when a token is created. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  submit: "submit and cancel as you",
  read: "read your submissions and their code",
  account: "manage your account and make tokens",
  runner: "claim runs and report results as a runner",
  admin: "act with your roles",
};

export const ROLES = ["organiser", "moderator", "administrator"] as const;
/** Additional rights of an account; `administrator` includes the others. */
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** Site that identifies its users to this server; `oidc` is the OpenID Connect issuer that the operator configured. */
export const OAuthProviderName = z.enum(["discord", "github", "google", "oidc"]);
export type OAuthProviderName = z.infer<typeof OAuthProviderName>;

/** Kind of an external identity: a user of an identity provider or of a learning platform (LTI), or an e-mail address. */
export const ProviderName = z.enum([...OAuthProviderName.options, "email", "lti"]);
export type ProviderName = z.infer<typeof ProviderName>;

export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  email: "E-mail",
  discord: "Discord",
  github: "GitHub",
  google: "Google",
  lti: "learning platform",
  oidc: "single sign-on",
};

/** Maximum length of an account name, in characters. */
export const MAX_NAME = 40;

/** The caller's account, with the scopes of the caller's token or session. */
export const Account = AccountName.extend({
  roles: z.array(Role),
  /** Why the account is banned; null if it is not. */
  banReason: z.string().nullable(),
  /** Scopes of the caller's token or session. */
  scopes: z.array(Scope),
});
export type Account = z.infer<typeof Account>;

/** External identity with which the account can be signed in to. */
export const LinkedIdentity = z.object({
  provider: ProviderName,
  /** Identifier that the provider never reassigns, or the e-mail address. */
  subject: z.string(),
  /** Display name at the provider, at the time of the last use. */
  label: z.string(),
  /** Groups at an OpenID Connect issuer, at the time of the last use. */
  groups: z.array(z.string()).default([]),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
});
export type LinkedIdentity = z.infer<typeof LinkedIdentity>;

/** Signed-in browser session. */
export const Session = z.object({
  id: z.int(),
  /** User agent. */
  browser: z.string(),
  address: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  /** True for the session of this request. */
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

/** Default and maximum lifetime of a token, in days. */
export const TOKEN_DAYS = 90;
export const MAX_TOKEN_DAYS = 730;

const Label = z
  .string()
  .trim()
  .min(1, "describe what the token is for")
  .max(100, "use 100 characters at most")
  .regex(/^\P{C}*$/u, "use printable characters");

/** Request to create a token. */
export const TokenRequest = z.strictObject({
  label: Label,
  scopes: z.array(Scope).min(1, "name a scope").max(SCOPES.length),
  /** For scope `runner`: targets for which runners may claim runs. */
  targets: z.array(TargetName).max(100).default([]),
  /** For scope `runner`: maximum number of runner names that may join, which limits the damage of a leaked token. */
  runners: z
    .int("use a whole number of runners, 1000 at most")
    .min(1, "use at least one runner")
    .max(1000, "use 1000 runners at most")
    .default(1),
  days: z
    .int(`use a whole number of days, ${MAX_TOKEN_DAYS} at most`)
    .min(1, "use at least one day")
    .max(MAX_TOKEN_DAYS, `use ${MAX_TOKEN_DAYS} days at most`)
    .default(TOKEN_DAYS),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

/** Token without its secret. */
export const Token = z.object({
  id: z.int(),
  label: z.string(),
  scopes: z.array(Scope),
  targets: z.array(TargetName),
  createdAt: z.iso.datetime(),
  /** Null if the token does not expire. */
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  /** True for the token of this request. */
  current: z.boolean(),
});
export type Token = z.infer<typeof Token>;

/** New token with its secret, which is returned only once. */
export const NewToken = Token.extend({
  token: z.string(),
  /** One sentence for each target of a runner token that is probably mistyped. */
  warnings: z.array(z.string()).default([]),
});
export type NewToken = z.infer<typeof NewToken>;
/** Tokens that are neither revoked nor expired, newest first. */
export const TokenList = z.object({ tokens: z.array(Token) });

/** Account as administrators see it. */
export const AccountSummary = AccountName.extend({
  /** All roles of the account. */
  roles: z.array(Role),
  /** Roles that an administrator assigned. */
  assignedRoles: z.array(Role).default([]),
  /** Roles by groups at the OpenID Connect issuer. */
  groupRoles: z.array(Role).default([]),
  banReason: z.string().nullable(),
  /** Fair-share weight in the queue of each target; 1 is an ordinary account. */
  weight: z.number().default(1),
  providers: z.array(ProviderName),
  createdAt: z.iso.datetime(),
  /** When the data of its owner was erased; absent otherwise. */
  erasedAt: z.iso.datetime().optional(),
});
export type AccountSummary = z.infer<typeof AccountSummary>;
/** Accounts, sorted by name. The next page starts after the last name. */
export const AccountList = z.object({ accounts: z.array(AccountSummary) });

/** Roles to grant to an account and to revoke. */
export const RoleChange = z.strictObject({ add: z.array(Role).default([]), remove: z.array(Role).default([]) });
export type RoleChange = z.infer<typeof RoleChange>;

export const RoleList = z.object({ roles: z.array(Role) });

/** Fair-share weight of an account in the queue of each target; 1 is an ordinary account. */
export const WeightChange = z.strictObject({
  weight: z.number().min(0.01, "use a weight of 0.01 or more").max(100, "use a weight of 100 at most"),
});
export type WeightChange = z.infer<typeof WeightChange>;
export const AccountWeight = z.object({ ...WeightChange.shape, account: AccountName });
export type AccountWeight = z.infer<typeof AccountWeight>;

/** Request for a single-use sign-in link. */
export const SignInLinkRequest = z.strictObject({
  name: z.string().min(1).max(200),
  /** Creates the account; otherwise the account must exist. */
  create: z.boolean().default(false),
  hours: z.int().min(1, "use at least one hour").max(168, "use 168 hours at most").default(24),
});
export type SignInLinkRequest = z.infer<typeof SignInLinkRequest>;
export const SignInLink = z.object({ url: z.string(), account: AccountName, expiresAt: z.iso.datetime() });
export type SignInLink = z.infer<typeof SignInLink>;

/** Entry of the audit log: an action taken with the rights of a role. */
export const AuditEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  account: AccountName,
  act: z.string(),
  /** Subject of the action, as kind and key: `submission 12`. */
  subject: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
/** Entries, newest first. The next page starts before the last id. */
export const AuditLog = z.object({ entries: z.array(AuditEntry) });

const TIME = "use a date or a time, such as 2026-03-01 or 2026-03-01T12:00:00Z";
const DateOrTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })], { error: TIME });
/** What an export of the audit log contains, and its format. A date means its first moment in UTC. */
export const AuditExport = z.object({
  format: z.enum(["ndjson", "csv"]).default("ndjson"),
  since: DateOrTime.optional().describe("Only entries from this time on; a date means 00:00 UTC"),
  until: DateOrTime.optional().describe("Only entries before this time"),
});
export type AuditExport = z.infer<typeof AuditExport>;

/** Device authorization request; names as in RFC 8628. */
export const DeviceRequest = z.object({
  scope: z
    .string()
    .default("submit read account")
    .transform((text) => [...new Set(text.split(" ").filter((word) => word !== ""))])
    .pipe(z.array(Scope.exclude(["runner"])).min(1, "name a scope"))
    .describe("Scopes separated by spaces: submit, read, account, admin"),
});
export const DeviceCode = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  /** Lifetime in seconds. */
  expires_in: z.int(),
  /** Minimum number of seconds between polls. */
  interval: z.int(),
});
export type DeviceCode = z.infer<typeof DeviceCode>;

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const DevicePoll = z.object({ grant_type: z.literal(DEVICE_GRANT), device_code: z.string().max(200) });
export const DeviceToken = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  scope: z.string(),
  /** Lifetime in seconds. */
  expires_in: z.int(),
});
export type DeviceToken = z.infer<typeof DeviceToken>;

export const DEVICE_ERRORS = ["authorization_pending", "slow_down", "access_denied", "expired_token"] as const;
/** Why no token was issued; `authorization_pending` and `slow_down` are temporary. */
export const DeviceError = z.object({ error: z.enum(DEVICE_ERRORS), detail: z.string(), code: z.string() });
export type DeviceError = z.infer<typeof DeviceError>;

/** Sign-in methods that are configured on a server. */
export interface SignInMethods {
  /** Sites, with the names that buttons show. */
  providers: readonly { name: OAuthProviderName; label: string }[];
  /** Sign-in by e-mail, with the domains whose addresses it accepts (none: every domain); null where not configured. */
  email: { domains: readonly string[] } | null;
}

/** Data of the account page of the account's owner. */
export interface AccountDetail {
  account: Account;
  identities: LinkedIdentity[];
  sessions: Session[];
  tokens: Token[];
}
