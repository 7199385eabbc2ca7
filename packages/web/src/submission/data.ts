/** What the page of a submission is made of. */
import type { Decision, Place, RunDetail, StageProgress, Submission } from "@kernelbot/core";
import type { Visit } from "../visit.ts";

/** Another submission that this one can be laid beside. */
export interface Other {
  id: number;
  /** What it is to the one who looks: `your submission before it`, `the leader on cpu`. */
  words: string;
  target: string;
}

/** What the one who looks may do with it now. */
export interface Acts {
  cancel: boolean;
  remove: boolean;
  /** Hand in a file again that began as this one. */
  again: boolean;
  /** Lay it beside others: who is signed in and may read its source. */
  compare: boolean;
}

export interface SubmissionPage {
  visit: Visit;
  submission: Submission;
  /** Those that ended are whole for everybody, but for what is the owner's; `isWhole` says whether that is shown too. */
  runs: readonly RunDetail[];
  /** Whether the one who looks sees all of it: what it printed, its files, what was decided. Its owner and moderators do. */
  isWhole: boolean;
  /** Whether it is the viewer's own. */
  isOwn: boolean;
  competition: { name: string; title: string } | null;
  /** Where it stands on its boards, and who leads them. */
  places: readonly Place[];
  progress: readonly StageProgress[];
  decisions: readonly Decision[];
  /** Null for those who may not read it. */
  source: string | null;
  others: readonly Other[];
  acts: Acts;
  /** What could not be done. */
  problem?: string | undefined;
  /** The text of an appeal, or the number of another submission, as it was typed where it could not be taken. */
  typed?: string | undefined;
}
