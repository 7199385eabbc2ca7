/**
 * History of a board: how its best times improved. Computed from the present ranking, so entries that do not count
 * today are absent.
 */
import { z } from "zod";
import { AccountName, TeamName } from "../vocabulary/entrant.ts";
import { Freeze, VerificationStatus } from "./board.ts";
import { Author } from "../vocabulary/declaration.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { RankedBy } from "../score/ranked-by.ts";
import { Interval } from "../vocabulary/interval.ts";

/** Maximum number of entrants in one request. */
export const MAX_HISTORY_ENTRANTS = 10;

/** Submission that counts on the board, with its time there. */
export const HistoryPoint = z.object({
  submissionId: z.number().int(),
  /** Run whose time counts: for a confirmed submission, its latest passed re-run. */
  runId: z.number().int(),
  verification: VerificationStatus,
  account: AccountName,
  /** Team in which it was submitted; null if none. */
  team: TeamName.nullable(),
  author: Author,
  submittedAt: z.iso.datetime(),
  timeNs: Interval,
  /** Value by which the board ranks; absent on boards that rank by time. */
  rankedBy: RankedBy.optional(),
});
export type HistoryPoint = z.infer<typeof HistoryPoint>;

/** Submissions of an account or a team on a board. */
export const EntrantHistory = z.object({
  /** Account or team, as in `entrantOf`. */
  entrant: AccountName,
  /** Submissions by time: all that were its best when submitted, and the latest of the others. */
  points: z.array(
    HistoryPoint.extend({
      /** Time of its best submission at that moment, this one included. */
      bestNs: z.number().positive(),
    }),
  ),
});
export type EntrantHistory = z.infer<typeof EntrantHistory>;

/** Response of `GET /api/v1/boards/{board}/{target}/history`. */
export const BoardHistory = z.object({
  board: ProblemName,
  target: TargetName,
  problemVersion: z.string(),
  /** Change counter of the board (see `Board`). */
  changeNumber: z.number().int().nonnegative(),
  /** Null unless the board is frozen. */
  freeze: Freeze.nullable().default(null),
  /** Record submissions in the order of submission: each is better than all before it. */
  records: z.array(HistoryPoint),
  /** Requested entrants that have submissions on the board, in the requested order. */
  entrants: z.array(EntrantHistory),
});
export type BoardHistory = z.infer<typeof BoardHistory>;
