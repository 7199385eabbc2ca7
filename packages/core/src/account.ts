/** People and what speaks for them: accounts, roles, tokens, sessions, and what was done with a role. */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { TargetName } from "./problem-spec.ts";

export const SCOPES = ["submit", "read", "account", "runner", "admin"] as const;
/**
 * What a token may do: submit and cancel, read, manage the account and its tokens, claim and report runs, act with the
 * roles of its account.
 */
export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** What a token with each scope may do, for the one who grants it. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  submit: "submit and cancel as you",
  read: "read your submissions and their code",
  account: "manage your account and make tokens",
  runner: "claim runs and report results as a runner",
  admin: "act with your roles",
};

export const ROLES = ["organiser", "moderator", "administrator"] as const;
/** What an account may do besides taking part; `administrator` has the others. */
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

export const PROVIDERS = ["discord", "github", "google"] as const;
/** Who else vouches for a person. */
export const ProviderName = z.enum(PROVIDERS);
export type ProviderName = z.infer<typeof ProviderName>;

export const PROVIDER_WORDS: Readonly<Record<ProviderName, string>> = {
  discord: "Discord",
  github: "GitHub",
  google: "Google",
};

/** What the name of an account may be at most, in characters. */
export const MAX_NAME = 40;

/** The account that asks, and by what. */
export const Account = AccountName.extend({
  roles: z.array(Role),
  /** Why it is banned; null where it is not. */
  banReason: z.string().nullable(),
  /** What the token or session that asks may do. */
  scopes: z.array(Scope),
});
export type Account = z.infer<typeof Account>;

/** An identity elsewhere that opens the account. */
export const LinkedIdentity = z.object({
  provider: ProviderName,
  subject: z.string(),
  /** What it was called there when it was last used. */
  label: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
});
export type LinkedIdentity = z.infer<typeof LinkedIdentity>;

/** A browser that is signed in. */
export const Session = z.object({
  id: z.int(),
  /** What the browser calls itself. */
  browser: z.string(),
  address: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

/** How long a token lives unless somebody says otherwise, and at most, in days. */
export const TOKEN_DAYS = 90;
export const MAX_TOKEN_DAYS = 730;

const Label = z
  .string()
  .trim()
  .min(1, "say what the token is for")
  .max(100, "use 100 characters at most")
  .regex(/^\P{C}*$/u, "use printable characters");

/** A token to be made. */
export const TokenRequest = z.strictObject({
  label: Label,
  scopes: z.array(Scope).min(1, "name a scope").max(SCOPES.length),
  /** For scope runner: the targets that it may claim for. */
  targets: z.array(TargetName).max(100).default([]),
  /** For scope runner: how many names may join with it. One that leaks is worth so many runners, and no more. */
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

/** A token as its owner sees it afterwards. */
export const Token = z.object({
  id: z.int(),
  label: z.string(),
  scopes: z.array(Scope),
  targets: z.array(TargetName),
  createdAt: z.iso.datetime(),
  /** Null where it does not expire. */
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
});
export type Token = z.infer<typeof Token>;

/** A token with its secret, which is told this once. */
export const NewToken = Token.extend({ token: z.string() });
export type NewToken = z.infer<typeof NewToken>;
/** Those that are neither revoked nor expired, the newest first. */
export const TokenList = z.object({ tokens: z.array(Token) });

/** An account as an administrator sees it. */
export const AccountSummary = AccountName.extend({
  roles: z.array(Role),
  banReason: z.string().nullable(),
  /** Its share of each target, in shares of an ordinary account. */
  weight: z.number().default(1),
  providers: z.array(ProviderName),
  createdAt: z.iso.datetime(),
});
export type AccountSummary = z.infer<typeof AccountSummary>;
/** In the order of their names; ask for what is after the last one's to go on. */
export const AccountList = z.object({ accounts: z.array(AccountSummary) });

/** Roles to give to an account and to take from it. */
export const RoleChange = z.strictObject({ add: z.array(Role).default([]), remove: z.array(Role).default([]) });
export type RoleChange = z.infer<typeof RoleChange>;

export const RoleList = z.object({ roles: z.array(Role) });

/** What an account has of each target, in shares of an ordinary account. */
export const WeightChange = z.strictObject({
  weight: z.number().min(0.01, "use a weight of 0.01 or more").max(100, "use a weight of 100 at most"),
});
export type WeightChange = z.infer<typeof WeightChange>;
export const WeightStanding = z.object({ ...WeightChange.shape, account: AccountName });
export type WeightStanding = z.infer<typeof WeightStanding>;

/** An address that opens an account once. */
export const SignInLinkRequest = z.strictObject({
  name: z.string().min(1).max(200),
  /** Makes the account; else it must be there. */
  create: z.boolean().default(false),
  hours: z.int().min(1, "use at least one hour").max(168, "use 168 hours at most").default(24),
});
export type SignInLinkRequest = z.infer<typeof SignInLinkRequest>;
export const SignInLink = z.object({ url: z.string(), account: AccountName, expiresAt: z.iso.datetime() });
export type SignInLink = z.infer<typeof SignInLink>;

/** An act with the rights of a role. */
export const AuditEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  account: AccountName,
  act: z.string(),
  /** What it was done to, as kind and key: `submission 12`. */
  subject: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
/** Newest first; ask for what is before the last one's id to go on. */
export const AuditLog = z.object({ entries: z.array(AuditEntry) });

/** A program asks to be signed in; names as in RFC 8628. */
export const DeviceRequest = z.object({
  scope: z
    .string()
    .default("submit read account")
    .transform((text) => [...new Set(text.split(" ").filter((word) => word !== ""))])
    .pipe(z.array(Scope.exclude(["runner"])).min(1, "name a scope"))
    .describe("By spaces: submit, read, account, admin"),
});
export const DeviceCode = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  /** In seconds. */
  expires_in: z.int(),
  /** Seconds between polls, at least. */
  interval: z.int(),
});
export type DeviceCode = z.infer<typeof DeviceCode>;

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const DevicePoll = z.object({ grant_type: z.literal(DEVICE_GRANT), device_code: z.string().max(200) });
export const DeviceToken = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  scope: z.string(),
  /** In seconds. */
  expires_in: z.int(),
});
export type DeviceToken = z.infer<typeof DeviceToken>;

export const DEVICE_ERRORS = ["authorization_pending", "slow_down", "access_denied", "expired_token"] as const;
/** Why there is no token, yet or at all. */
export const DeviceError = z.object({ error: z.enum(DEVICE_ERRORS), detail: z.string(), code: z.string() });
export type DeviceError = z.infer<typeof DeviceError>;

/** The account as the page of its owner shows it. */
export interface AccountDetail {
  account: Account;
  identities: LinkedIdentity[];
  sessions: Session[];
  tokens: Token[];
}
