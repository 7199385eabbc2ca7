/** Invite codes: each admits a single account to closed competitions. */
import { z } from "zod";
import { AccountName } from "../board/board.ts";
import { CompetitionName } from "../competition/competition.ts";

/** 128 random bits in hexadecimal; surrounding whitespace and upper case are normalised. */
export const InviteCode = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[0-9a-f]{32}$/, "a code has 32 hexadecimal digits");

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

export const ClaimInviteRequest = z.strictObject({ code: InviteCode });
/** Competitions that the caller joined with a code. */
export const JoinedCompetitions = z.object({ competitions: z.array(CompetitionName) });
export type JoinedCompetitions = z.infer<typeof JoinedCompetitions>;
