/** Rows of dataset analyses. Times are in nanoseconds; moments are ISO 8601 in UTC. */
import { z } from "zod";
import { BestRankedBy } from "../score/ranked-by.ts";

const Where = { problem: z.string(), target: z.string() };
const Id = z.number().int();
/** Value by which the board ranks in place of the time; higher is better. Null on boards that rank by time. */
const RankedValue = BestRankedBy.nullable().default(null);

/** Best entry of a contestant on a board. */
export const Contestant = z.object({
  ...Where,
  place: z.number().int(),
  userId: z.string(),
  userName: z.string(),
  submissionId: Id,
  scoreNs: z.number(),
  /** Speedup over the reference; null if the data has no reference time. */
  speedup: z.number().nullable(),
  rankedBy: RankedValue,
  /** Number of the contestant's submissions, including failed ones. */
  submissions: z.number().int(),
  submittedAt: z.string(),
});
export type Contestant = z.infer<typeof Contestant>;

/** Submission in one author's history on a board. */
export const ProgressStep = z.object({
  ...Where,
  submissionId: Id,
  submittedAt: z.string(),
  mode: z.string(),
  passed: z.boolean().nullable(),
  scoreNs: z.number().nullable(),
  /** Author's best time up to this submission. */
  bestNs: z.number().nullable(),
  rankedBy: RankedValue,
  /** Author's best `rankedBy` up to this submission. */
  bestRankedBy: RankedValue,
});
export type ProgressStep = z.infer<typeof ProgressStep>;

/** Record: a submission that was the fastest of its board when submitted. */
export const BoardRecord = z.object({
  ...Where,
  submissionId: Id,
  userName: z.string(),
  submittedAt: z.string(),
  scoreNs: z.number(),
});
export type BoardRecord = z.infer<typeof BoardRecord>;

export const FailureCount = z.object({
  ...Where,
  mode: z.string(),
  /** Failure class; `unknown` if missing in the data. */
  failureClass: z.string(),
  runs: z.number().int(),
  /** Fraction of all judged runs of this board and mode, from 0 to 1. */
  share: z.number(),
});
export type FailureCount = z.infer<typeof FailureCount>;

/** Correlation of a technique, recognised by static features of the source, with speed on a board. */
export const TechniqueUse = z.object({
  ...Where,
  technique: z.string(),
  /** Number of contestants whose best kernel uses the technique. */
  users: z.number().int(),
  /** Fraction of all contestants of the board, from 0 to 1. */
  share: z.number(),
  /** Fraction of the fastest tenth of contestants (at least one), from 0 to 1. */
  shareOfFastest: z.number(),
  medianNs: z.number(),
  /** Median of the contestants who do not use the technique; null if all use it. */
  medianWithoutNs: z.number().nullable(),
  medianRankedBy: RankedValue,
  medianWithoutRankedBy: RankedValue,
});
export type TechniqueUse = z.infer<typeof TechniqueUse>;

/** Cluster of kernels with nearly the same source. */
export const Cluster = z.object({
  ...Where,
  /** Earliest submission of the cluster. */
  submissionId: Id,
  size: z.number().int(),
  users: z.array(z.string()),
  submissionIds: z.array(Id),
  bestNs: z.number().nullable(),
  bestRankedBy: RankedValue,
  /** Minimum over the members of the similarity to the most similar other member, from 0 to 1. */
  similarity: z.number(),
});
export type Cluster = z.infer<typeof Cluster>;

/** Speedups over the reference of the contestants' best kernels on a board. */
export const SpeedupSummary = z.object({
  ...Where,
  users: z.number().int(),
  best: z.number(),
  median: z.number(),
  geometricMean: z.number(),
  /** Fraction of contestants at least as fast as the reference, from 0 to 1. */
  shareFaster: z.number(),
});
export type SpeedupSummary = z.infer<typeof SpeedupSummary>;

/** Tables that a server computes for each competition of a snapshot, by name, with their row schemas. */
export const ANALYSES = { records: BoardRecord, techniques: TechniqueUse } as const satisfies Record<
  string,
  z.ZodObject
>;
export type AnalysisKind = keyof typeof ANALYSES;
export const ANALYSIS_KINDS = Object.keys(ANALYSES) as [AnalysisKind, ...AnalysisKind[]];
export type AnalysisTables = { [Kind in AnalysisKind]: z.infer<(typeof ANALYSES)[Kind]>[] };
