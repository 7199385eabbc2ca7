/** The data of the page on which a submission is written. */
import type { Starter, Submission, Terms } from "@kernelbot/core";
import type { Visit } from "../visit.ts";

/** What the fields hold: as the page proposes it, or as it was typed. */
export interface EditorFields {
  fileName: string;
  source: string;
  targets: readonly string[];
  author: string;
  model: string;
  /** Empty where the account's or the competition's own holds, `none` where publication is refused. */
  licence: string;
}

export interface EditorPage {
  visit: Visit;
  problem: { name: string; description: string };
  terms: Terms;
  starters: readonly Starter[];
  fields: EditorFields;
  /** Where the source comes from: a starter, which a draft replaces; a submission, by its number; or what was refused. */
  origin: "starter" | "refused" | number;
  /** Why what was handed in was not taken. */
  refusal?: string | undefined;
  /** Makes the form count once, however often it is sent. */
  key: string;
  /** One's own submissions to the problem, newest first. */
  submissions: readonly Submission[];
}
