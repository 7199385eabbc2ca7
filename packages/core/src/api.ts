/** The answers of /api/v1 that are more than one of the field's words: lists, a problem with its version, errors. */
import { z } from "zod";
import { BoardSummary } from "./board.ts";
import { Competition, CompetitionName } from "./competition.ts";
import { BoardLimit } from "./limits.ts";
import { Change } from "./problem-changes.ts";
import { Problem, ProblemName, TargetName } from "./problem-spec.ts";
import { Submission } from "./submission.ts";

/** What every refusal says: a sentence for a person and a word for a program. */
export const ApiError = z.object({ detail: z.string(), code: z.string() });
export type ApiError = z.infer<typeof ApiError>;

/** A problem in a list, in its newest version. */
export const ProblemSummary = z.object({
  name: ProblemName,
  /** Whose boards take submissions. */
  targets: z.array(TargetName),
  version: z.string(),
  /** Null for practice. */
  competition: CompetitionName.nullable().default(null),
});
export type ProblemSummary = z.infer<typeof ProblemSummary>;

/** A problem as a participant sees it: specification, cases, templates and public files; its boards, and until when. */
export const ProblemDetail = Problem.extend({
  version: z.string(),
  /** When this version came. */
  versionSince: z.iso.datetime(),
  /** When each version came into force, and what it changed, the newest first. */
  history: z.array(z.object({ at: z.iso.datetime(), version: z.string(), changes: z.array(Change) })).default([]),
  /** The problem set that it belongs to. */
  set: z.string(),
  /** Null for practice. */
  competition: Competition.pick({ name: true, title: true, startsAt: true, endsAt: true }).nullable(),
  /** From when until when ranked submissions are taken; null where there is no bound. */
  opensAt: z.iso.datetime().nullable(),
  closesAt: z.iso.datetime().nullable(),
  /** The targets whose boards take submissions. */
  openTargets: z.array(TargetName),
  /** How much an account may submit; nothing else is limited. */
  limits: z.array(BoardLimit).default([]),
  boards: z.array(BoardSummary),
});
export type ProblemDetail = z.infer<typeof ProblemDetail>;

/** A problem that takes no ranked submissions any more, and since when. */
export const ClosedProblem = z.object({ name: ProblemName, closedAt: z.iso.datetime() });
export type ClosedProblem = z.infer<typeof ClosedProblem>;

export const ProblemList = z.object({ problems: z.array(ProblemSummary) });
export const BoardList = z.object({ boards: z.array(BoardSummary) });
/** Newest first; ask for what is before the last one's id to go on. */
export const SubmissionList = z.object({ submissions: z.array(Submission) });
