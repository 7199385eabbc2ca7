/** A person as others see him: what stands on boards under his name, or that of his team. */
import { z } from "zod";
import { AccountName, Freeze, Standing, TeamName } from "./board.ts";
import { AuthorKind } from "./declaration.ts";
import { CompetitionName } from "./competition.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { Interval } from "./score.ts";

/** An entry of the person, or of a team that he is or was in. */
export const PersonEntry = z.object({
  board: ProblemName,
  target: TargetName,
  rank: z.int().positive(),
  /** How many stand on the board. */
  of: z.int().positive(),
  /** The team whose entry it is. */
  team: TeamName.nullable(),
  /** Whether he submitted it himself. */
  own: z.boolean(),
  submissionId: z.int(),
  runId: z.int(),
  standing: Standing,
  timeNs: Interval,
  speedup: Interval.nullable(),
  submittedAt: z.iso.datetime(),
  unsandboxed: z.boolean(),
  legacyHarness: z.boolean(),
  imported: z.boolean().default(false),
  /** Null while the board is not frozen. */
  freeze: Freeze.nullable().default(null),
});
export type PersonEntry = z.infer<typeof PersonEntry>;

/** A submission of his that was the fastest of its board when it came. */
export const PersonRecord = z.object({
  board: ProblemName,
  target: TargetName,
  submissionId: z.int(),
  timeNs: z.number().positive(),
  since: z.iso.datetime(),
  /** When a faster one came; null while it stands. */
  until: z.iso.datetime().nullable(),
});
export type PersonRecord = z.infer<typeof PersonRecord>;

/** A ranked submission on one target. */
export const RankedRun = z.object({
  submissionId: z.int(),
  board: ProblemName,
  target: TargetName,
  fileName: z.string(),
  submittedAt: z.iso.datetime(),
  timeNs: Interval,
});
export type RankedRun = z.infer<typeof RankedRun>;

export const Membership = z.object({
  competition: CompetitionName,
  title: z.string(),
  team: TeamName,
  /** Who is in it now. */
  members: z.array(AccountName),
  joinedAt: z.iso.datetime(),
  leftAt: z.iso.datetime().nullable(),
});
export type Membership = z.infer<typeof Membership>;

/** A week of submissions. */
export const ActiveWeek = z.object({
  /** Its Monday, in UTC. */
  monday: z.iso.date(),
  submissions: z.int().nonnegative(),
});
export type ActiveWeek = z.infer<typeof ActiveWeek>;

export const Person = z.object({
  account: AccountName,
  /** Since when there is the account. */
  createdAt: z.iso.datetime(),
  /** Since when it is banned: nothing of it counts. */
  bannedAt: z.iso.datetime().nullable(),
  /** Who wrote what he has submitted, as he declares: how many submissions of each kind, the most first. */
  authors: z.array(z.object({ kind: AuthorKind, submissions: z.int().positive() })),
  /** Oldest first. */
  teams: z.array(Membership),
  /** By board. */
  entries: z.array(PersonEntry),
  /** Newest first. */
  records: z.array(PersonRecord),
  /** The last 53 weeks, this one last. */
  weeks: z.array(ActiveWeek),
  /** Newest first. */
  recent: z.array(RankedRun),
});
export type Person = z.infer<typeof Person>;

/** What an account is called where its name says nothing. */
export function shownName({ id, name }: AccountName): string {
  return name.trim() === "" ? `account ${id.slice(0, 8)}` : name;
}

/** The address of a person's page: by the account's id, since names change. */
export function personPath({ id }: Pick<AccountName, "id">): string {
  return `/people/${encodeURIComponent(id)}`;
}
