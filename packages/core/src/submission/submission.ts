import { z } from "zod";
import { RunArtifact } from "../run/artifact.ts";
import { AccountName } from "../vocabulary/entrant.ts";
import { Author, AuthorKind, Licence, ModelName } from "../vocabulary/declaration.ts";
import { DuelResult } from "../score/duel.ts";
import { SpeedOfLightBound } from "../score/speed-of-light.ts";
import { KernelBotError, quote } from "../errors.ts";
import { EXTENSIONS, languageOf, LANGUAGES, type Language } from "../vocabulary/language.ts";
import { Machine } from "../machine/machine.ts";
import { Reason, Removal } from "../moderation/moderation.ts";
import { ProblemName, Regime, TargetName, type ProblemSpec } from "../vocabulary/specification.ts";
import { TargetAvailability } from "../queue/availability.ts";
import { deviceOf } from "../vocabulary/device.ts";
import { CaseScore } from "../score/score.ts";
import { RunScore } from "../score/ranked-by.ts";
import { Interval } from "../vocabulary/interval.ts";
import { InUse } from "../run/in-use.ts";
import { CaseFinished, Output, ReviewFinding, Validation } from "../run/tester-protocol.ts";
import { FailureClass, Mode, RunState, Stage, Verdict, VERDICTS } from "../vocabulary/states.ts";

const FileName = z.string();

/** Body of a submit request. Intake checks file names and sources itself, with its own error messages. */
export const SubmitRequest = z.strictObject({
  board: ProblemName,
  targets: z.array(TargetName).min(1, "name a target").max(16, "name at most 16 targets"),
  mode: Mode,
  fileName: FileName,
  source: z.string(),
  /** Undeclared when omitted. */
  author: AuthorKind.optional(),
  /** Name of the model; required when the author is a model without a human author. */
  model: ModelName.optional(),
  /** Null refuses publication. When omitted, the default of the competition or of the account applies. */
  licence: Licence.nullable().optional(),
  /** Whether published data shows a pseudonym instead of the account. When omitted, the account's default applies. */
  anonymous: z.boolean().optional(),
  /** The opposing source (B; `source` is A). Required in mode `duel`, rejected in every other mode. */
  rival: z.strictObject({ fileName: FileName, source: z.string() }).optional(),
  /** Evaluation session of the caller whose transcript is attached to the submission. */
  session: z.int().positive().optional(),
});
export type SubmitRequest = z.infer<typeof SubmitRequest>;

/** Body of a late entry: a ranked submission that an organiser enters for an account after the deadline. */
export const LateEntryRequest = SubmitRequest.omit({ mode: true, rival: true, session: true }).extend({
  /** Name of the account whose submission it is. */
  account: z.string().min(1).max(200),
  /** Recorded in the audit log. */
  reason: Reason,
});
export type LateEntryRequest = z.infer<typeof LateEntryRequest>;

/** Run in a list: all fields except stages and samples. */
export const RunSummary = z.object({
  id: z.number().int(),
  target: TargetName,
  /** 0 for the original run; n for the nth re-run on fresh seeds. */
  rerun: z.number().int().nonnegative().default(0),
  /** Board revision into which this run carried the submission over from an earlier one; absent for all other runs. */
  carriedTo: z.int().positive().optional(),
  state: RunState,
  /** Null until the run is done. */
  verdict: Verdict.nullable(),
  failureClass: FailureClass.nullable(),
  /** Why the run failed, in one sentence for the participant. */
  message: z.string().nullable(),
  attempt: z.number().int().nonnegative(),
  /** Stage that is running; null before and after. */
  stage: Stage.nullable(),
  /** Position in the queue, from 1; null unless the run is queued. */
  queuePosition: z.number().int().positive().nullable(),
  /**
   * Expected time until the run is claimed, with its 95 % confidence interval, if no other run is queued ahead of it in
   * the meantime. Null if the run is not queued or no estimate is available.
   */
  expectedWaitMs: Interval.nullable().default(null),
  /**
   * Until when a queued run, whose machine was too busy to measure it, waits before the same runner times it again; absent
   * otherwise.
   */
  pausedUntil: z.iso.datetime().optional(),
  /** Runners and queue of the run's target; null unless the run is queued. */
  runners: TargetAvailability.nullable().default(null),
  score: RunScore.nullable(),
  /** Result of the problem's application for this source on the target; null if it has not run. */
  inUse: InUse.nullable().default(null),
  unsandboxed: z.boolean(),
  /** True if the problem's own harness checked and timed the run, in one process tree with the submission. */
  legacyHarness: z.boolean(),
  /** True if the run was judged elsewhere and imported. Nothing is known of it beyond these fields. */
  imported: z.boolean().default(false),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** Result of one stage of a run, as reported by the runner. */
export const StageResult = z.object({
  stage: Stage,
  /** Null while the stage runs. */
  passed: z.boolean().nullable(),
  durationNs: z.number().nullable(),
  cases: z.array(
    CaseFinished.omit({ type: true, stage: true }).extend({
      score: CaseScore.nullable(),
      /** Speed-of-light bound of the case on the run's machine; null if unknown. */
      speedOfLight: SpeedOfLightBound.nullable().default(null),
    }),
  ),
  output: Output.omit({ type: true, stage: true }).nullable(),
});
export type StageResult = z.infer<typeof StageResult>;

/** Run with its stages, cases and samples. */
export const RunDetail = RunSummary.extend({
  submissionId: z.number().int(),
  board: ProblemName,
  mode: Mode,
  problemVersion: z.string(),
  /** Traceback or compile log of the participant's code. */
  detail: z.string().nullable(),
  machine: Machine.nullable(),
  /** How calls are timed. */
  regime: Regime.default("isolated"),
  stages: z.array(StageResult),
  /** Result of the duel; null unless the run is a judged duel. */
  duel: DuelResult.nullable().default(null),
  /** Result of this run in the problem's application; null unless the mode is `application` and its cases have run. */
  validation: Validation.nullable().default(null),
  /**
   * Findings of the static review, visible to the submission's owner and to moderators. They do not affect the verdict.
   */
  review: z.array(ReviewFinding).default([]),
  /** Artifacts of the run that can be downloaded. */
  artifacts: z.array(RunArtifact).default([]),
});
export type RunDetail = z.infer<typeof RunDetail>;

export const Submission = z.object({
  id: z.number().int(),
  account: AccountName,
  /** Name and id of the account on boards with pseudonyms, for its owner and moderators; absent otherwise. */
  shownAs: z.string().optional(),
  board: ProblemName,
  mode: Mode,
  fileName: z.string(),
  /** SHA-256 of the source, in hexadecimal. */
  sourceHash: z.string(),
  /** The opposing source (B) of a duel; null in every other mode. */
  rival: z.object({ fileName: z.string(), sourceHash: z.string() }).nullable().default(null),
  problemVersion: z.string(),
  createdAt: z.iso.datetime(),
  author: Author,
  /** Licence under which the author permits publication; null if the author does not permit it. */
  licence: Licence.nullable(),
  /** True if published data shows a pseudonym instead of the account; absent otherwise. */
  anonymous: z.literal(true).optional(),
  /** Number of the latest event; a reader subscribes to the events after it. */
  lastEvent: z.number().int(),
  /** Null unless the submission was removed. */
  removed: Removal.nullable().default(null),
  /** Source of an imported submission and its number there; null for submissions made on this server. */
  imported: z.object({ source: z.string(), submission: z.int() }).nullable().default(null),
  /** Organiser who entered the submission for its account after the deadline; null for all other submissions. */
  enteredBy: AccountName.nullable().default(null),
  /** When the source, outputs and files were deleted, after the retention time or with the account; absent otherwise. */
  contentsDeletedAt: z.iso.datetime().optional(),
  runs: z.array(RunSummary),
});
export type Submission = z.infer<typeof Submission>;

/** Progress of the stage that a run is in. */
export interface StageProgress {
  runId: number;
  /** When the stage started, as an ISO time. */
  since: string;
  /** Null if the judge has not reported any rounds. */
  rounds: { done: number; total: number } | null;
  cases: { done: number; total: number };
}

export const OUTCOMES = ["open", ...VERDICTS, "cancelled"] as const;
/** Outcome of a run as used in list filters; `open` is a run that is queued or running. */
export const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;

/**
 * Returns the path of the event stream that notifies a page of changes to a submission. Encodes the last event, and the
 * queue positions and the targets' statuses that the page shows.
 */
export function submissionUpdatesPath({ id, lastEvent, runs }: Submission): string {
  return `/submissions/${id}/updates?after=${lastEvent}&places=${formatPlaces(runs)}`;
}

/** Formats queue positions with the status of their targets, to compare them: `2-online.1-offline`. */
export function formatPlaces(runs: readonly Pick<RunSummary, "queuePosition" | "runners">[]): string {
  return runs
    .flatMap(({ queuePosition, runners }) => (queuePosition === null ? [] : `${queuePosition}-${runners?.status}`))
    .join(".");
}

/** Returns whether a run counts on its board and was judged on this server, and therefore has a receipt. */
export function hasReceipt(run: Pick<RunDetail, "mode" | "verdict" | "imported">): boolean {
  return run.mode === "ranked" && run.verdict === "passed" && !run.imported;
}

/** Returns whether every run of a submission is done or cancelled. */
export function isFinished(submission: Pick<Submission, "runs">): boolean {
  return submission.runs.every((run) => run.state === "done" || run.state === "cancelled");
}

/**
 * Returns the language of a file, if the problem accepts it on all of these targets. C++ is accepted on CPU targets,
 * CUDA C++ on GPU targets; a legacy harness accepts its language on any target.
 * @throws KernelBotError `unprocessable`, with the accepted file extensions.
 */
export function languageFor(
  { name, languages, harness }: Pick<ProblemSpec, "name" | "languages" | "harness">,
  fileName: string,
  targets: readonly string[],
): Language {
  const language = languageOf(fileName);
  const acceptedLanguages = (target: string): Language[] =>
    LANGUAGES.filter((each) => languages[each] !== undefined).filter(
      (each) => each === "py" || harness === "legacy" || (each === "cpp") === (deviceOf(target) === "cpu"),
    );
  const closed = targets.find((target) => language === null || !acceptedLanguages(target).includes(language));
  if (language !== null && closed === undefined) return language;
  const endings = acceptedLanguages(closed ?? "").map((each) => EXTENSIONS[each][0]);
  throw new KernelBotError(
    "unprocessable",
    `${name} takes ${endings.join(" and ") || "no"} files on ${closed}; the extension of ${quote(fileName)} is not accepted`,
  );
}
