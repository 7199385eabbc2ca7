/** Invite codes, each of which admits one account, and invite links, each of which admits a class. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { CompetitionName } from "../competition/competition.ts";

const HEXADECIMAL = /^[0-9A-Fa-f]{32}$/;

/**
 * 128 random bits in hexadecimal, or in base64url in codes of an adopted KernelBot. Surrounding whitespace is removed;
 * only hexadecimal codes are the same in upper case.
 */
export const InviteCode = z
  .string()
  .trim()
  .regex(/^([0-9A-Fa-f]{32}|[A-Za-z0-9_-]{22})$/, "a code has 32 hexadecimal digits, or 22 letters, digits, - and _")
  .overwrite((code) => (HEXADECIMAL.test(code) ? code.toLowerCase() : code));

/** Last part of the address of an invite link: 256 random bits in base64url. */
export const InviteLinkSecret = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "an invite link ends in 43 characters");

export const InviteRequest = z.strictObject({
  competitions: z.array(CompetitionName).min(1, "name a competition").max(100, "name at most 100"),
  count: z.int().min(1, "make at least 1").max(10_000, "make at most 10,000").default(1),
});
export type InviteRequest = z.infer<typeof InviteRequest>;

export const Invites = z.object({ competitions: z.array(CompetitionName), codes: z.array(InviteCode) });
export type Invites = z.infer<typeof Invites>;

/** Invite code as organisers see it. */
export const Invite = z.object({
  code: InviteCode,
  competitions: z.array(CompetitionName),
  createdAt: z.iso.datetime(),
  /** Account that claimed the code, and when; null if unclaimed. */
  claimedBy: AccountName.nullable(),
  claimedAt: z.iso.datetime().nullable(),
  /** When the code was revoked; null if it is valid. */
  revokedAt: z.iso.datetime().nullable(),
});
export type Invite = z.infer<typeof Invite>;

export const InviteList = z.object({ invites: z.array(Invite) });

export const RevokedInvite = z.object({ code: InviteCode, wasClaimed: z.boolean() });
export type RevokedInvite = z.infer<typeof RevokedInvite>;

export const ClaimInviteRequest = z.strictObject({
  code: z.union(
    [InviteLinkSecret, InviteCode],
    "a code has 32 hexadecimal digits, or 22 letters, digits, - and _; an invite link ends in 43 characters",
  ),
});
export const RevokeInviteRequest = z.strictObject({ code: InviteCode });
/** Competitions that the caller joined with a code. */
export const JoinedCompetitions = z.object({ competitions: z.array(CompetitionName) });
export type JoinedCompetitions = z.infer<typeof JoinedCompetitions>;

export const MAX_INVITE_LINK_USES = 10_000;
export const MAX_INVITE_LINK_DAYS = 365;

/** Request for an invite link. */
export const InviteLinkRequest = z.strictObject({
  /** Number of accounts that can join. */
  maxUses: z
    .int("use a whole number of accounts")
    .min(1, "admit at least one account")
    .max(MAX_INVITE_LINK_USES, "admit 10,000 accounts at most"),
  days: z
    .int("use a whole number of days")
    .min(1, "use at least one day")
    .max(MAX_INVITE_LINK_DAYS, `use ${MAX_INVITE_LINK_DAYS} days at most`)
    .default(14),
});
export type InviteLinkRequest = z.infer<typeof InviteLinkRequest>;

/** Invite link without its secret, as organisers see it. */
export const InviteLink = z.object({
  id: z.int(),
  competition: CompetitionName,
  maxUses: z.int(),
  createdBy: AccountName,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** When the link was revoked; null if it was not. */
  revokedAt: z.iso.datetime().nullable(),
  /** Accounts that joined, in order. */
  uses: z.array(
    z.object({
      account: AccountName,
      at: z.iso.datetime(),
      /** Whether the account was created with the link. */
      registered: z.boolean(),
    }),
  ),
});
export type InviteLink = z.infer<typeof InviteLink>;

/** New invite link with its address, which is returned only once. */
export const NewInviteLink = z.object({ id: z.int(), url: z.string(), maxUses: z.int(), expiresAt: z.iso.datetime() });
export type NewInviteLink = z.infer<typeof NewInviteLink>;

export const InviteLinkList = z.object({ links: z.array(InviteLink) });
