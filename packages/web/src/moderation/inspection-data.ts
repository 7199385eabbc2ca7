/** The data of the page on which a moderator decides about a run. */
import type { AccountHistory, Inspection, Prospect, Submission } from "@kernelbot/core";
import type { SignedVisit } from "../visit.ts";
import type { QueueQuery } from "./queue.ts";

export interface InspectionPage {
  visit: SignedVisit;
  inspection: Inspection;
  submission: Submission;
  /** The text that was handed in. */
  source: string;
  history: AccountHistory;
  prospect: Prospect | { why: string } | null;
  /** Its place among those that wait in this queue, and the one after it; null where it does not wait. */
  waiting: { at: number; of: number; next: number | null } | null;
  /** Which queue it is looked at in: a decision leads to the next in it. */
  query: QueueQuery;
  /** What was done to come here. */
  done?: string | null;
  /** What could not be done. */
  problem?: string | undefined;
  /** The reason as it was typed, where it could not be done. */
  reason?: string | undefined;
}
