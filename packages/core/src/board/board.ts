import { z } from "zod";
import { AccountName, TeamName } from "../vocabulary/entrant.ts";
import { InUseSummary } from "../run/in-use.ts";
import { Author } from "../vocabulary/declaration.ts";
import {
  ApplicationGate,
  CaseWeights,
  ProblemName,
  RankingBy,
  Regime,
  TargetName,
} from "../vocabulary/specification.ts";
import { BestRankedBy, RankedBy, Ranking, type RankedResult } from "../score/ranked-by.ts";
import { Interval, type Estimate } from "../vocabulary/interval.ts";
import { BETWEEN_SESSIONS, independentRatio } from "../score/statistics.ts";

/** Period in which boards show only what was submitted before `since`. */
export const Freeze = z.object({
  since: z.iso.datetime(),
  until: z.iso.datetime(),
});
export type Freeze = z.infer<typeof Freeze>;

/** Row of the list of boards. */
export const BoardSummary = z.object({
  board: ProblemName,
  /** Problem set that contains the problem. */
  set: z.string(),
  target: TargetName,
  entries: z.number().int().nonnegative(),
  /** Account that submitted the best entry, and the team it was submitted in. */
  leader: AccountName.nullable(),
  team: TeamName.nullable().default(null),
  /** Time of the best entry. */
  bestNs: z.number().nullable(),
  /** What ranks the best entry; absent on boards that rank by time. */
  bestRankedBy: BestRankedBy.optional(),
  /** True if the leader's run was judged without a sandbox. */
  unsandboxed: z.boolean(),
  /** Null unless the board is frozen. */
  freeze: Freeze.nullable().default(null),
});
export type BoardSummary = z.infer<typeof BoardSummary>;

export const VERIFICATION_STATUSES = ["provisional", "confirmed"] as const;
/**
 * Verification status of an entry: `confirmed` if its time comes from a re-run on fresh seeds that was not selected for
 * its result and, where the problem requires it, its kernel is validated in use; else `provisional`.
 */
export const VerificationStatus = z.enum(VERIFICATION_STATUSES);
export type VerificationStatus = z.infer<typeof VerificationStatus>;

/** Row of a board: the best ranked run of a team, or of an account without a team. */
export const BoardRow = z.object({
  rank: z.number().int().positive(),
  /** Account that submitted the entry. */
  account: AccountName,
  /** Team in which it was submitted, with its present members. */
  team: TeamName.extend({ members: z.array(AccountName) })
    .nullable()
    .default(null),
  submissionId: z.number().int(),
  /** Run whose time counts: for an entry that was run again, its latest passed re-run. */
  runId: z.number().int(),
  verification: VerificationStatus.default("provisional"),
  /** Original run of an entry that was run again, with its time; null for other entries. */
  enteredBy: z.object({ runId: z.number().int(), timeNs: Interval }).nullable().default(null),
  fileName: z.string(),
  timeNs: Interval,
  /** Null if the problem's own harness timed the run, because a harness does not time the reference. */
  speedup: Interval.nullable(),
  /** Value by which the entry ranks; absent on boards that rank by time. */
  rankedBy: RankedBy.optional(),
  /**
   * How many times as fast the row above is, by what ranks; null for the first row, and on boards that rank by
   * efficiency. See `rankEntries`.
   */
  deltaToNext: Interval.nullable().default(null),
  /**
   * Time of each of the board's cases in nanoseconds, in the board's order. Empty for runs from before case times were
   * stored, and for runs whose harness did not time every case.
   */
  caseTimesNs: z.array(z.number().positive()).default([]),
  /**
   * Fraction of speed of light: speed-of-light bound divided by measured time, as the geometric mean over the cases; 1
   * is the bound itself. Null if the bound of any case is unknown. See `meanFractionOfSpeedOfLight`.
   */
  speedOfLightShare: z.number().positive().nullable().default(null),
  /** Result of the problem's application for the entry's source; null if it has not run, and if the gate is `none`. */
  inUse: InUseSummary.nullable().default(null),
  submittedAt: z.iso.datetime(),
  author: Author,
  /** True if the runner judged without a sandbox (`--unsafe-no-sandbox`). */
  unsandboxed: z.boolean(),
  /** True if the problem's own harness checked and timed the run, in one process tree with the submission. */
  legacyHarness: z.boolean(),
  /** True if the run was judged elsewhere and imported. If no confidence interval was imported, `low` equals `high`. */
  imported: z.boolean().default(false),
  /** True if an organiser entered the submission after the deadline; absent otherwise. */
  lateEntry: z.literal(true).optional(),
  /** True if the machine was busy whenever the run was timed, so that its result is uncertain; absent otherwise. */
  noisy: z.literal(true).optional(),
});
export type BoardRow = z.infer<typeof BoardRow>;

export const Board = z.object({
  board: ProblemName,
  target: TargetName,
  problemVersion: z.string(),
  /** Revision of the board, from 1. A new one starts when anything that affects judging or timing changes. */
  revision: z.int().positive().default(1),
  /** Revision that the board shows by default. */
  currentRevision: z.int().positive().default(1),
  rankingBy: RankingBy,
  /** Quantity by which this board ranks. */
  ranking: Ranking,
  /** Weights of the cases, in the board's order; null if all count alike. */
  weights: CaseWeights.nullable().default(null),
  /** How calls are timed. */
  regime: Regime.default("isolated"),
  /** Effect of the application's results; null if the problem has no application. */
  applicationGate: ApplicationGate.nullable().default(null),
  /** Change counter of the board's content, as sent by its stream of updates. */
  changeNumber: z.number().int().nonnegative().default(0),
  /** Timed cases, one line each. See `caseLine`. */
  cases: z.array(z.string()).default([]),
  rows: z.array(BoardRow),
  /** Null unless the board is frozen. */
  freeze: Freeze.nullable().default(null),
  /** True if the board includes entries hidden by the freeze, at the request of a moderator or organiser. */
  unfrozen: z.boolean().default(false),
});
export type Board = z.infer<typeof Board>;

/** Returns whether a board has a column for the results of the application. */
export function hasInUse<Shown extends Pick<Board, "applicationGate">>(
  board: Shown,
): board is Shown & { applicationGate: "shown" | "required" } {
  return board.applicationGate === "shown" || board.applicationGate === "required";
}

/** Rank of a submission on a board, and the leader of that board. */
export interface SubmissionRank {
  target: string;
  /** Null if the submission has no row: it did not pass, or its owner has a better one. */
  own: Pick<BoardRow, "rank" | "verification" | "timeNs" | "rankedBy"> | null;
  entries: number;
  /** Effect of the application's results on the board; null if the problem has no application. */
  applicationGate: ApplicationGate | null;
  /** Null unless the board is frozen. A frozen board does not reflect later submissions. */
  freeze: Freeze | null;
  /** Leading submission. */
  leader: { id: number; account: string };
  /** Entry with the next better rank; null if the submission has no row or leads. */
  ahead: (Pick<BoardRow, "rank" | "timeNs" | "rankedBy"> & { account: string }) | null;
}

export interface RankFields {
  rank: number;
  deltaToNext: Estimate | null;
}

/**
 * Returns the value by which a result ranks, with its confidence interval, where lower is better: the time in
 * nanoseconds, or the negative of a value of which more is better. The server's column `rank_key` has the same value. The
 * interval of a noisy result begins at its value, so that its width gives it no better rank.
 */
export function rankKey({ timeNs, rankedBy, noisy }: RankedResult): Estimate {
  const { value, low, high } =
    rankedBy == null ? timeNs : { value: -rankedBy.value, low: -rankedBy.high, high: -rankedBy.low };
  return { value, low: noisy === true ? value : low, high };
}

/**
 * Ranks entries that are sorted by `rankKey`. An entry whose confidence interval overlaps that of the first entry
 * of the rank above shares that rank, because the measurement does not distinguish them. The next distinct entry's rank
 * counts all entries before it.
 *
 * `deltaToNext` is the ratio of an entry's time to that of the entry above, or of the speedup above to the entry's. The
 * two were timed in separate sessions, so
 * its confidence interval is wider than their own intervals combined and may contain 1 although the ranks differ. The
 * machines are assumed to be equal.
 */
export function rankEntries<Entry extends RankedResult>(sorted: readonly Entry[]): (Entry & RankFields)[] {
  let leader: (Entry & RankFields) | undefined;
  return sorted.map((entry, index) => {
    const above = sorted[index - 1];
    const shares = leader !== undefined && rankKey(entry).low <= rankKey(leader).high;
    const ranked = {
      ...entry,
      rank: shares && leader !== undefined ? leader.rank : index + 1,
      deltaToNext: above === undefined ? null : gap(entry, above),
    };
    if (!shares) leader = ranked;
    return ranked;
  });
}

/** Returns how many times as fast the entry above is; null on boards that rank by efficiency. */
function gap(entry: RankedResult, above: RankedResult): Estimate | null {
  if (entry.rankedBy == null || above.rankedBy == null)
    return independentRatio(entry.timeNs, above.timeNs, BETWEEN_SESSIONS);
  return entry.rankedBy.ranking === "speedup"
    ? independentRatio(above.rankedBy, entry.rankedBy, BETWEEN_SESSIONS)
    : null;
}
