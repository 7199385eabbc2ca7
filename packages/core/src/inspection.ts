/** A run as a moderator decides about it. */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { Flag } from "./moderation.ts";
import { SourceDiff } from "./source-diff.ts";
import { RunDetail } from "./submission.ts";

/** A submission of another account to the same problem whose source is much like a run's. */
export const Similar = z.object({
  submissionId: z.number().int(),
  account: AccountName,
  fileName: z.string(),
  /** Whether it was handed in before. */
  earlier: z.boolean(),
  /** The share of their token sequences that both have, 0 to 1; see similarity.ts. */
  similarity: z.number(),
  /** From its source to the run's; of the nearest one alone. */
  diff: SourceDiff,
});
export type Similar = z.infer<typeof Similar>;

/** A run with all that speaks for and against it; its samples and the findings of the review are in the run. */
export const Inspection = z.object({
  run: RunDetail,
  account: AccountName,
  flags: z.array(Flag),
  similar: z.array(Similar),
});
export type Inspection = z.infer<typeof Inspection>;
