/** Data of the page of a submission. */
import type {
  Decision,
  SubmissionRank,
  RunDetail,
  StageProgress,
  Submission,
  Profile,
  Transcript,
} from "@kernelbot/core";
import type { Visit } from "../layout/page-context.ts";

/** Another submission to compare with. */
export interface ComparableSubmission {
  id: number;
  /** Relation to the shown submission: `Your previous submission`, `Leader on cpu, by bob`. */
  label: string;
  target: string;
}

/** Actions that the viewer may take now. */
interface Acts {
  cancel: boolean;
  remove: boolean;
  /** Open the source in the editor, to submit it again. */
  again: boolean;
  /** Compare with other submissions: for viewers who are signed in and may read the source. */
  compare: boolean;
}

export interface SubmissionPage {
  visit: Visit;
  submission: Submission;
  /**
   * Runs of the submission. Finished runs are complete for every viewer, except for data of the owner, which is shown
   * only if `isWhole` is true.
   */
  runs: readonly RunDetail[];
  /** Whether the viewer sees all data: output, files and decisions. True for the owner and for moderators. */
  isWhole: boolean;
  /** Whether the submission is the viewer's own. */
  isOwn: boolean;
  competition: { name: string; title: string } | null;
  /** Ranks of the submission on its boards, and their leaders. */
  places: readonly SubmissionRank[];
  progress: readonly StageProgress[];
  decisions: readonly Decision[];
  /** Its profile, for viewers of the whole submission; null for others. */
  profile: Profile | null;
  /** Source of the submission; null if the viewer may not read it. */
  source: string | null;
  /** Transcript that is attached to the submission; null if it has none or the viewer may not read the source. */
  transcript: Transcript | null;
  others: readonly ComparableSubmission[];
  acts: Acts;
  /** Time at which the page is rendered, for the ages that it shows. */
  now: Date;
  /** Error message. */
  problem?: string | undefined;
  /** Text of an appeal or ID of another submission, as typed, if it was rejected. */
  typed?: string | undefined;
}
