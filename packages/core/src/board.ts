import { z } from "zod";
import { Author } from "./declaration.ts";
import { ProblemName, RankingBy, TargetName } from "./problem-spec.ts";
import { Interval } from "./score.ts";
import { BETWEEN_SESSIONS, independentRatio, type Estimate } from "./statistics.ts";

/** An account as others see it. */
export const AccountName = z.object({ id: z.string(), name: z.string() });
export type AccountName = z.infer<typeof AccountName>;

/** A team as it stands on boards. */
export const TeamName = z.object({ id: z.int(), name: z.string() });
export type TeamName = z.infer<typeof TeamName>;

/** What an entry goes by: the team that it was submitted in, else its account. */
export function entrantName({ team, account }: { team: TeamName | null; account: AccountName }): string {
  return team?.name ?? account.name;
}

/** Whose an entry is: the team, else the account. An account has no id such as `team:7`. */
export function entrantOf({ team, account }: { team: TeamName | null; account: AccountName }): AccountName {
  return team === null ? account : { id: teamEntrant(team.id), name: team.name };
}

export function teamEntrant(team: number): string {
  return `team:${team}`;
}

/** Until boards are revealed, they show what was submitted before they froze. */
export const Freeze = z.object({
  since: z.iso.datetime(),
  until: z.iso.datetime(),
});
export type Freeze = z.infer<typeof Freeze>;

/** A board in a list. */
export const BoardSummary = z.object({
  board: ProblemName,
  target: TargetName,
  entries: z.number().int().nonnegative(),
  /** Who submitted the best entry, and in which team. */
  leader: AccountName.nullable(),
  team: TeamName.nullable().default(null),
  bestNs: z.number().nullable(),
  /** Whether the leader's run was judged without isolation. */
  unsandboxed: z.boolean(),
  /** Null while it is not frozen. */
  freeze: Freeze.nullable().default(null),
});
export type BoardSummary = z.infer<typeof BoardSummary>;

export const STANDINGS = ["provisional", "confirmed"] as const;
/** Whether the time of an entry is from a re-run on fresh seeds, which nobody chose for its result. */
export const Standing = z.enum(STANDINGS);
export type Standing = z.infer<typeof Standing>;

/** The best ranked run of a team, or of an account that is in none. */
export const BoardRow = z.object({
  rank: z.number().int().positive(),
  /** Who submitted it. */
  account: AccountName,
  /** The team in which it was submitted, with those who are in it now. */
  team: TeamName.extend({ members: z.array(AccountName) })
    .nullable()
    .default(null),
  submissionId: z.number().int(),
  /** The run that counts: of a confirmed entry its last re-run that passed. */
  runId: z.number().int(),
  standing: Standing.default("provisional"),
  /** The run by which a confirmed entry came to the board, with the time that it had; null for a provisional one. */
  enteredBy: z.object({ runId: z.number().int(), timeNs: Interval }).nullable().default(null),
  fileName: z.string(),
  timeNs: Interval,
  /** Null where the problem's own harness timed, which times no reference. */
  speedup: Interval.nullable(),
  /** How many times as long as the row above it takes; null for the first row (see `rank`). */
  deltaToNext: Interval.nullable().default(null),
  /**
   * Nanoseconds of each of the board's cases, in their order. Empty for a run of the time before they were kept, and for one
   * whose harness did not time every case.
   */
  caseTimesNs: z.array(z.number().positive()).default([]),
  /**
   * How much of the time the hardware floor is: 1 is the floor itself. Over the cases it is the geometric mean of their
   * shares (see `shareOfFloor`); null where the floor of a case is not known.
   */
  floorShare: z.number().positive().nullable().default(null),
  submittedAt: z.iso.datetime(),
  author: Author,
  /** True where the runner judged without isolation: the operator said --unsafe-no-sandbox. */
  unsandboxed: z.boolean(),
  /** True where the problem's own harness checked and timed, in one process tree with the submission. */
  legacyHarness: z.boolean(),
  /** True where it was judged elsewhere, before it came here: a time without an interval has one without width. */
  imported: z.boolean().default(false),
});
export type BoardRow = z.infer<typeof BoardRow>;

export const Board = z.object({
  board: ProblemName,
  target: TargetName,
  problemVersion: z.string(),
  /** Which edition of the board this is: one begins whenever something changes that is judged or timed. */
  edition: z.int().positive().default(1),
  /** The edition that the board shows to who names none. */
  currentEdition: z.int().positive().default(1),
  rankingBy: RankingBy,
  /** Grows whenever what the board shows may have changed; its stream of updates tells this number. */
  revision: z.number().int().nonnegative().default(0),
  /** The cases that are timed, each as one line (see `caseLine`). */
  cases: z.array(z.string()).default([]),
  rows: z.array(BoardRow),
  /** Null while it is not frozen. */
  freeze: Freeze.nullable().default(null),
  /** True where it has what the freeze hides too: for moderators and organisers who ask for it. */
  unfrozen: z.boolean().default(false),
});
export type Board = z.infer<typeof Board>;

/** Where a submission stands on a board, and who leads it. */
export interface Place {
  target: string;
  /** Null where it is no entry: it did not pass, or a better one of its owner's is. */
  own: Pick<BoardRow, "rank" | "standing" | "timeNs"> | null;
  entries: number;
  /** Null while the board is not frozen: it then says nothing of what was submitted since. */
  freeze: Freeze | null;
  /** The submission that leads. */
  leader: { id: number; account: string };
}

export interface Ranked {
  rank: number;
  deltaToNext: Estimate | null;
}

/**
 * Ranks entries that are sorted from fast to slow. An entry whose interval reaches into that of the leader of the rank
 * above it shares that rank, since the measurement does not tell them apart; the next distinct one counts all before it.
 *
 * `deltaToNext` compares an entry with the one above it. They were timed in sessions of their own, so its interval is wider
 * than the two that it is made of, and may hold 1 where the ranks differ. It takes their machines for equal, as a board does.
 */
export function rank<Entry extends { timeNs: Estimate }>(sorted: readonly Entry[]): (Entry & Ranked)[] {
  let leader: (Entry & Ranked) | undefined;
  return sorted.map((entry, index) => {
    const above = sorted[index - 1];
    const shares = leader !== undefined && entry.timeNs.low <= leader.timeNs.high;
    const ranked = {
      ...entry,
      rank: shares && leader !== undefined ? leader.rank : index + 1,
      deltaToNext: above === undefined ? null : independentRatio(entry.timeNs, above.timeNs, BETWEEN_SESSIONS),
    };
    if (!shares) leader = ranked;
    return ranked;
  });
}
