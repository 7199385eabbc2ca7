/** Response schemas of /api/v1 that are not defined with a subject: lists, problem details, errors. */
import { z } from "zod";
import { BoardSummary } from "./board/board.ts";
import { Competition, CompetitionName } from "./competition/competition.ts";
import { BoardLimit } from "./submission/limits.ts";
import { Change } from "./problem/changes.ts";
import { Difficulty, Problem, ProblemName, TargetName } from "./vocabulary/specification.ts";
import { Submission } from "./submission/submission.ts";

/** Body of every error response: `detail` is a sentence for people, `code` a constant for programs. */
export const ApiError = z.object({ detail: z.string(), code: z.string() });
export type ApiError = z.infer<typeof ApiError>;

/** Problem in a list, in its newest version. */
export const ProblemSummary = z.object({
  name: ProblemName,
  /** Targets whose boards accept submissions. */
  targets: z.array(TargetName),
  version: z.string(),
  /** Null for a practice problem. */
  competition: CompetitionName.nullable().default(null),
  tags: z.array(z.string()).default([]),
  /** Null if not declared. */
  difficulty: Difficulty.nullable().default(null),
});
export type ProblemSummary = z.infer<typeof ProblemSummary>;

/** Problem as participants see it: specification, cases, templates and public files, with its boards and dates. */
export const ProblemDetail = Problem.extend({
  version: z.string(),
  /** When this version came into force. */
  versionSince: z.iso.datetime(),
  /** Versions with the time at which each came into force and its changes, newest first. */
  history: z.array(z.object({ at: z.iso.datetime(), version: z.string(), changes: z.array(Change) })).default([]),
  /** Problem set to which the problem belongs. */
  set: z.string(),
  /** Null for a practice problem. */
  competition: Competition.pick({ name: true, title: true, startsAt: true, endsAt: true }).nullable(),
  /** Period in which ranked submissions are accepted; null where it is unbounded. */
  opensAt: z.iso.datetime().nullable(),
  closesAt: z.iso.datetime().nullable(),
  /** Targets whose boards accept submissions. */
  openTargets: z.array(TargetName),
  /** Submission limits of an account on each board; empty if there are none. */
  limits: z.array(BoardLimit).default([]),
  boards: z.array(BoardSummary),
});
export type ProblemDetail = z.infer<typeof ProblemDetail>;

/** Problem that no longer accepts ranked submissions, and since when. */
export const ClosedProblem = z.object({ name: ProblemName, closedAt: z.iso.datetime() });
export type ClosedProblem = z.infer<typeof ClosedProblem>;

export const ProblemList = z.object({ problems: z.array(ProblemSummary) });
export const BoardList = z.object({ boards: z.array(BoardSummary) });
/** Submissions, newest first. The next page starts before the last id. */
export const SubmissionList = z.object({ submissions: z.array(Submission) });
