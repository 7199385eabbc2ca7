/** Data for a moderator's decision about a run. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { Flag } from "../moderation/moderation.ts";
import { SourceDiff } from "./source-diff.ts";
import { RunDetail } from "./submission.ts";

/** Submission of another account to the same problem with a similar source. */
export const SimilarSubmission = z.object({
  submissionId: z.number().int(),
  account: AccountName,
  fileName: z.string(),
  /** Whether it was submitted before the run's submission. */
  earlier: z.boolean(),
  /** Similarity of the token sequences, from 0 to 1; see similarity.ts. */
  similarity: z.number(),
  /** Diff from its source to the run's; null for all but the most similar submission. */
  diff: SourceDiff,
});
export type SimilarSubmission = z.infer<typeof SimilarSubmission>;

/** Run with its flags and similar submissions; samples and review findings are part of the run. */
export const Inspection = z.object({
  run: RunDetail,
  account: AccountName,
  flags: z.array(Flag),
  /** The most similar first; null if the sources could not be compared. */
  similar: z.array(SimilarSubmission).nullable(),
});
export type Inspection = z.infer<typeof Inspection>;
