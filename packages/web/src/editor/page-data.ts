/** Data of the editor page, on which a submission is written. */
import type { ProblemSpec, Starter, Submission, SubmissionTerms } from "@kernelbot/core";
import type { Visit } from "../layout/page-context.ts";

/** Values of the form: as proposed by the page, or as typed. */
export interface EditorFields {
  fileName: string;
  source: string;
  targets: readonly string[];
  author: string;
  model: string;
  /** Licence; empty for the default of the account or competition, `none` if publication is refused. */
  licence: string;
}

export interface EditorPage {
  visit: Visit;
  problem: ProblemSpec;
  terms: SubmissionTerms;
  starters: readonly Starter[];
  fields: EditorFields;
  /** Origin of the source: a starter, which a saved draft replaces; a submission, by its ID; or a rejected form. */
  origin: "starter" | "refused" | number;
  /** Why the submission was rejected. */
  refusal?: string | undefined;
  /** Idempotency key: the form counts once, however often it is sent. */
  key: string;
  /** The viewer's submissions to the problem, newest first. */
  submissions: readonly Submission[];
}
