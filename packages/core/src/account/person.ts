/** Public profile of an account: its entries and those of its teams. */
import { z } from "zod";
import { AccountName, TeamName } from "../vocabulary/entrant.ts";
import { Freeze, VerificationStatus } from "../board/board.ts";
import { AuthorKind } from "../vocabulary/declaration.ts";
import { CompetitionName } from "../competition/competition.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { BestRankedBy, RankedBy } from "../score/ranked-by.ts";
import { Interval } from "../vocabulary/interval.ts";

/** Board entry of the account, or of a present or former team of the account. */
export const PersonEntry = z.object({
  board: ProblemName,
  target: TargetName,
  rank: z.int().positive(),
  /** Number of entries on the board. */
  of: z.int().positive(),
  /** Team that owns the entry; null for an account's own entry. */
  team: TeamName.nullable(),
  /** Whether the account itself submitted the entry. */
  own: z.boolean(),
  submissionId: z.int(),
  runId: z.int(),
  verification: VerificationStatus,
  timeNs: Interval,
  speedup: Interval.nullable(),
  /** Value by which the board ranks; absent on boards that rank by time. */
  rankedBy: RankedBy.optional(),
  submittedAt: z.iso.datetime(),
  unsandboxed: z.boolean(),
  legacyHarness: z.boolean(),
  imported: z.boolean().default(false),
  noisy: z.literal(true).optional(),
  /** Null unless the board is frozen. */
  freeze: Freeze.nullable().default(null),
});
export type PersonEntry = z.infer<typeof PersonEntry>;

/** Submission of the account that was the fastest of its board when submitted. */
export const PersonRecord = z.object({
  board: ProblemName,
  target: TargetName,
  submissionId: z.int(),
  timeNs: z.number().positive(),
  /** Value by which the board ranks; absent on boards that rank by time. */
  rankedBy: BestRankedBy.optional(),
  since: z.iso.datetime(),
  /** When a faster one was submitted; null while the record holds. */
  until: z.iso.datetime().nullable(),
});
export type PersonRecord = z.infer<typeof PersonRecord>;

/** Ranked run of a submission on one target. */
export const RankedRun = z.object({
  submissionId: z.int(),
  board: ProblemName,
  target: TargetName,
  fileName: z.string(),
  submittedAt: z.iso.datetime(),
  timeNs: Interval,
  /** Value by which the board ranks; absent on boards that rank by time. */
  rankedBy: RankedBy.optional(),
});
export type RankedRun = z.infer<typeof RankedRun>;

export const Membership = z.object({
  competition: CompetitionName,
  title: z.string(),
  team: TeamName,
  /** Present members of the team. */
  members: z.array(AccountName),
  joinedAt: z.iso.datetime(),
  leftAt: z.iso.datetime().nullable(),
});
export type Membership = z.infer<typeof Membership>;

/** Number of submissions in a week. */
export const ActiveWeek = z.object({
  /** Monday of the week, in UTC. */
  monday: z.iso.date(),
  submissions: z.int().nonnegative(),
  /** Number of submissions on each day in UTC, Monday first. */
  days: z.array(z.int().nonnegative()).length(7),
});
export type ActiveWeek = z.infer<typeof ActiveWeek>;

/** Competition to whose problems the account submitted. */
export const PersonCompetition = z.object({
  competition: CompetitionName,
  title: z.string(),
  submissions: z.int().positive(),
  /** When the account last submitted. */
  lastAt: z.iso.datetime(),
});
export type PersonCompetition = z.infer<typeof PersonCompetition>;

export const Person = z.object({
  account: AccountName,
  /** When the account was created. */
  createdAt: z.iso.datetime(),
  /** When the account was banned; none of its submissions count. Null if it is not banned. */
  bannedAt: z.iso.datetime().nullable(),
  /** Declared authors of the account's submissions: number of submissions of each kind, most frequent first. */
  authors: z.array(z.object({ kind: AuthorKind, submissions: z.int().positive() })),
  /** Teams, oldest first. */
  teams: z.array(Membership),
  /** Entries, sorted by board. */
  entries: z.array(PersonEntry),
  /** Records, newest first. */
  records: z.array(PersonRecord),
  /** Last 53 weeks, the present week last. */
  weeks: z.array(ActiveWeek),
  /** Competitions in which the account submitted, the latest first. */
  competitions: z.array(PersonCompetition).default([]),
  /** Ranked runs, newest first. */
  recent: z.array(RankedRun),
});
export type Person = z.infer<typeof Person>;

/** Returns the display name of an account, with a fallback for blank names. */
export function displayName({ id, name }: AccountName): string {
  return name.trim() === "" ? `account ${id.slice(0, 8)}` : name;
}

/** Returns whether an account is shown by a pseudonym: it has no page. Ids of accounts have another form. */
export function isPseudonym({ id }: Pick<AccountName, "id">): boolean {
  return /^anon-[0-9a-f]{12}$/.test(id);
}

/** Returns the URL path of an account's page, by id because names may change. */
export function personPath({ id }: Pick<AccountName, "id">): string {
  return `/people/${encodeURIComponent(id)}`;
}
