/** Data of the page on which a moderator decides about a run. */
import type { AccountHistory, Inspection, RankEstimate, Submission } from "@kernelbot/core";
import type { SignedVisit } from "../layout/page-context.ts";
import type { QueueQuery } from "./queue.ts";

export interface InspectionPage {
  visit: SignedVisit;
  inspection: Inspection;
  submission: Submission;
  /** Submitted text. */
  source: string;
  history: AccountHistory;
  expectedRank: RankEstimate | { why: string } | null;
  /** Position of the run in the filtered moderation queue, and the ID of the next run; null if the run is not in it. */
  waiting: { at: number; of: number; next: number | null } | null;
  /** Filter of the moderation queue; a decision leads to the next run in it. */
  query: QueueQuery;
  /** Success message. */
  done?: string | null;
  /** Error message. */
  problem?: string | undefined;
  /** Reason as typed, if the action failed. */
  reason?: string | undefined;
}
