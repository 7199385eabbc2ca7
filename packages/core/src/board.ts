import { z } from "zod";
import { Author } from "./declaration.ts";
import { Interval } from "./score.ts";
import { ProblemName, RankingBy, TargetName } from "./problem.ts";

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
  submittedAt: z.iso.datetime(),
  author: Author,
  /** True where the runner judged without isolation: the operator said --unsafe-no-sandbox. */
  unsandboxed: z.boolean(),
  /** True where the problem's own harness checked and timed, in one process tree with the submission. */
  legacyHarness: z.boolean(),
});
export type BoardRow = z.infer<typeof BoardRow>;

export const Board = z.object({
  board: ProblemName,
  target: TargetName,
  problemVersion: z.string(),
  rankingBy: RankingBy,
  rows: z.array(BoardRow),
});
export type Board = z.infer<typeof Board>;

/**
 * Ranks entries that are sorted from fast to slow. An entry whose interval reaches into that of the leader of the rank
 * above it shares that rank, since the measurement does not tell them apart; the next distinct one counts all before it.
 */
export function rank<Entry extends { timeNs: z.infer<typeof Interval> }>(
  sorted: readonly Entry[],
): (Entry & { rank: number })[] {
  let leader: (Entry & { rank: number }) | undefined;
  return sorted.map((entry, index) => {
    const shares = leader !== undefined && entry.timeNs.low <= leader.timeNs.high;
    const ranked = { ...entry, rank: shares && leader !== undefined ? leader.rank : index + 1 };
    if (!shares) leader = ranked;
    return ranked;
  });
}
