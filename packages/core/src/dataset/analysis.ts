/** What analyses of the data say. Times are in nanoseconds; moments are ISO 8601 in UTC. */
import { z } from "zod";

const Where = { problem: z.string(), target: z.string() };
const Id = z.number().int();

/** A contestant's best on a board. */
export const Contestant = z.object({
  ...Where,
  place: z.number().int(),
  userId: z.string(),
  userName: z.string(),
  submissionId: Id,
  scoreNs: z.number(),
  /** Over the reference; null where the data has none. */
  speedup: z.number().nullable(),
  /** How many submissions it took, those that failed included. */
  submissions: z.number().int(),
  submittedAt: z.string(),
});
export type Contestant = z.infer<typeof Contestant>;

/** A submission in the history of one author on a board. */
export const ProgressStep = z.object({
  ...Where,
  submissionId: Id,
  submittedAt: z.string(),
  mode: z.string(),
  passed: z.boolean().nullable(),
  scoreNs: z.number().nullable(),
  /** The author's best up to here. */
  bestNs: z.number().nullable(),
});
export type ProgressStep = z.infer<typeof ProgressStep>;

/** A record: from when on it was the fastest of all on its board. */
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
  /** A failure class; `unknown` where the data does not say. */
  failureClass: z.string(),
  runs: z.number().int(),
  /** Of all judged runs of this board and mode, from 0 to 1. */
  share: z.number(),
});
export type FailureCount = z.infer<typeof FailureCount>;

/** How a technique, recognised by static features of the source, goes with speed on a board. */
export const TechniqueUse = z.object({
  ...Where,
  technique: z.string(),
  /** Contestants whose best kernel uses it. */
  users: z.number().int(),
  /** Of all contestants of the board, from 0 to 1. */
  share: z.number(),
  /** Among the fastest tenth of contestants (at least one), from 0 to 1. */
  shareOfFastest: z.number(),
  medianNs: z.number(),
  /** Median of those who do not use it; null where all do. */
  medianWithoutNs: z.number().nullable(),
});
export type TechniqueUse = z.infer<typeof TechniqueUse>;

/** Kernels that are nearly the same text. */
export const Cluster = z.object({
  ...Where,
  /** The earliest. */
  submissionId: Id,
  size: z.number().int(),
  users: z.array(z.string()),
  submissionIds: z.array(Id),
  bestNs: z.number().nullable(),
  /** The least similarity of a member to its nearest other, from 0 to 1. */
  similarity: z.number(),
});
export type Cluster = z.infer<typeof Cluster>;

/** Speed-up over the reference of the contestants' best kernels on a board. */
export const SpeedupSummary = z.object({
  ...Where,
  users: z.number().int(),
  best: z.number(),
  median: z.number(),
  geometricMean: z.number(),
  /** How many are at least as fast as the reference, from 0 to 1. */
  shareFaster: z.number(),
});
export type SpeedupSummary = z.infer<typeof SpeedupSummary>;

/** The tables that a competition of a snapshot has, by their names, and what a row of each is. */
export const ANALYSES = {
  contestants: Contestant,
  records: BoardRecord,
  failures: FailureCount,
  techniques: TechniqueUse,
  clusters: Cluster,
  speedups: SpeedupSummary,
  progression: ProgressStep,
} as const satisfies Record<string, z.ZodObject>;
export type AnalysisKind = keyof typeof ANALYSES;
export const ANALYSIS_KINDS = Object.keys(ANALYSES) as [AnalysisKind, ...AnalysisKind[]];
/** All but those that are of one user each. */
export type AnalysisTables = { [Kind in Exclude<AnalysisKind, "progression">]: z.infer<(typeof ANALYSES)[Kind]>[] };
