/** How the times of a board came down. All of it is told by the ranking as it is today: what does not count has no place here. */
import { z } from "zod";
import { AccountName, Freeze, Standing, TeamName } from "./board.ts";
import { Author } from "./declaration.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { Interval } from "./score.ts";

/** At most so many entrants are drawn at once. */
export const MAX_HISTORY_ENTRANTS = 10;

/** A submission that counts on the board, with the time that it has there. */
export const HistoryPoint = z.object({
  submissionId: z.number().int(),
  /** The run that counts: of a confirmed submission its last re-run that passed. */
  runId: z.number().int(),
  standing: Standing,
  account: AccountName,
  /** The team in which it was submitted. */
  team: TeamName.nullable(),
  author: Author,
  submittedAt: z.iso.datetime(),
  timeNs: Interval,
});
export type HistoryPoint = z.infer<typeof HistoryPoint>;

/** What an account or a team has on a board. */
export const EntrantHistory = z.object({
  /** As in `entrantOf`. */
  entrant: AccountName,
  /** In the order of time: all that were its best, and of the others the latest. */
  points: z.array(
    HistoryPoint.extend({
      /** Its best time when this one was submitted, this one included. */
      bestNs: z.number().positive(),
    }),
  ),
});
export type EntrantHistory = z.infer<typeof EntrantHistory>;

/** A board over time, as `GET /api/v1/boards/{board}/{target}/history` answers. */
export const BoardHistory = z.object({
  board: ProblemName,
  target: TargetName,
  problemVersion: z.string(),
  /** That of the board (see `Board`). */
  revision: z.number().int().nonnegative(),
  /** Null while the board is not frozen. */
  freeze: Freeze.nullable().default(null),
  /** The submissions that were the fastest of all when they came, in the order of time: each is faster than the one before. */
  records: z.array(HistoryPoint),
  /** Those that were asked for and have something on the board, in the order in which they were asked for. */
  entrants: z.array(EntrantHistory),
});
export type BoardHistory = z.infer<typeof BoardHistory>;
