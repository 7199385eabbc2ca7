/**
 * Protocol between a runner and the tester: one JSON document per line, jobs on the tester's standard input, events on
 * its standard output. The events of a run, in order:
 *
 *     stage_started prepare, review, stage_finished prepare,
 *     stage_started test, case_finished ..., stage_finished test, ..., verdict
 *
 * Large data is written as files to the folder that the job names; each file is announced by an event `artifact`.
 */
import { z } from "zod";
import { Artifact } from "./artifact.ts";
import { Hex256 } from "../text/digest.ts";
import { Language } from "../vocabulary/language.ts";
import { Machine } from "../machine/machine.ts";
import { Case, Problem } from "../vocabulary/specification.ts";
import { FailureClass, RunMode, Stage, Verdict } from "../vocabulary/states.ts";

/** Opposing submission of a duel, as sent to the judge. */
export const Rival = z.object({ source: z.string(), language: Language });
export type Rival = z.infer<typeof Rival>;

/** Result of a rehearsal: an accelerator kernel tried on a CPU, without a verdict. Sentences for its author. */
export const Rehearsal = z.object({
  /** Target of the board, whose device is missing here. */
  target: z.string().max(200),
  /** Why the device is missing. */
  reason: z.string().max(2000),
  checked: z.array(z.string().max(4000)).max(20),
  unchecked: z.array(z.string().max(7000)).max(40),
});
export type Rehearsal = z.infer<typeof Rehearsal>;

/** Job for the tester: judge this source. */
export const Job = z.object({
  type: z.literal("run"),
  /** Echoed in every event of the run. */
  id: z.string().max(100),
  mode: RunMode,
  /** Target of the board; selects the cases. */
  target: z.string(),
  problem: Problem,
  source: z.string(),
  /** Secret seed from which the inputs of the timed stages are drawn. When omitted, the judge draws one. */
  seed: Hex256.optional(),
  /** Existing folder for artifacts; required in mode `profile`. */
  artifactFolder: z.string().max(4096).optional(),
  /**
   * Submitting account: code compiled during import is cached for the next run of the same account and source. When
   * omitted, nothing is cached.
   */
  account: z.string().min(1).max(200).optional(),
  /** Python by default. */
  language: Language.optional(),
  /** The opposing source (B; `source` is A); required in mode `duel`. */
  rival: Rival.optional(),
});
export type Job = z.infer<typeof Job>;

/** Untrusted text: bounded in length, and shown only escaped. */
const Text = z.string().max(20_000);

const Nanoseconds = z.number().nonnegative();

/** Worst conditions of an accelerator during a round; a value is null if the driver does not report it. */
export const Conditions = z.object({
  smMhz: z.number().nonnegative().nullable(),
  memoryMhz: z.number().nonnegative().nullable(),
  temperatureC: z.number().nullable(),
  powerW: z.number().nonnegative().nullable(),
  /** Reasons for which the clock was throttled, in words. */
  throttled: z.array(z.string().max(60)).max(16),
  /**
   * Why the round was repeated: the clock was throttled, or below 95 % of that of the other rounds. Null for other
   * rounds.
   */
  mark: z.string().max(300).nullable(),
});
export type Conditions = z.infer<typeof Conditions>;

/**
 * Samples of one case. Each round has the times of candidate and reference, called alternately in the same session on
 * the same inputs. Nanoseconds by the judge's clock; on an accelerator by the device's clock, bounded by the judge's.
 */
export const Rounds = z
  .array(
    z.object({
      candidateNs: z.array(Nanoseconds).max(1000),
      /** Times of B (`candidateNs` is A); present only in a duel. Empty for a side that has failed. */
      rivalNs: z.array(Nanoseconds).max(1000).optional(),
      referenceNs: z.array(Nanoseconds).max(1000),
      /** Present only if sensors were read. */
      conditions: Conditions.optional(),
    }),
  )
  .max(200);
export type Rounds = z.infer<typeof Rounds>;

/**
 * Figures of one timed case, as reported by the problem's own harness instead of samples. Nanoseconds by the harness's
 * clock. Every figure but the mean is null if the harness does not report it.
 */
export const HarnessSummary = z.object({
  /** Number of timed calls. */
  runs: z.number().int().positive().nullable(),
  meanNs: Nanoseconds,
  /** Standard deviation of the calls. */
  stdNs: Nanoseconds.nullable(),
  /** Standard error of the mean. */
  errNs: Nanoseconds.nullable(),
  bestNs: Nanoseconds.nullable(),
  worstNs: Nanoseconds.nullable(),
});
export type HarnessSummary = z.infer<typeof HarnessSummary>;

/** Difference between an output and the expected output. */
export const Mismatch = z.object({
  differing: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  /** Null if the outputs are not numeric. */
  largestAbsolute: z.number().nullable(),
  largestRelative: z.number().nullable(),
  /** First differing elements. `got` and `expected` are strings because JSON has no NaN. */
  first: z
    .array(z.object({ index: z.array(z.number().int()), got: z.string().max(60), expected: z.string().max(60) }))
    .max(10),
});
export type Mismatch = z.infer<typeof Mismatch>;

/** Largest errors of outputs relative to the reference's; the relative one is `|got - expected| / (|expected| + 1e-8)`. */
export const OutputErrors = z.object({ absolute: z.number().nonnegative(), relative: z.number().nonnegative() });
export type OutputErrors = z.infer<typeof OutputErrors>;

export const StageStarted = z.object({
  type: z.literal("stage_started"),
  stage: Stage,
  /** Number of cases in the stage. */
  cases: z.number().int().nonnegative(),
});
export const StageFinished = z.object({
  type: z.literal("stage_finished"),
  stage: Stage,
  passed: z.boolean(),
  durationNs: Nanoseconds,
});
/**
 * Why the rounds of a case ended: `precise`: the interval of its speedup is narrow; `rounds`: the maximum number was
 * reached; `time`: the time of the case or of its stage was used up.
 */
export const StopReason = z.enum(["precise", "rounds", "time"]);
export type StopReason = z.infer<typeof StopReason>;
export const CaseFinished = z.object({
  type: z.literal("case_finished"),
  stage: Stage,
  index: z.int32().nonnegative(),
  /** Public parameters of the case. The seeds of timed stages are secret and not included. */
  case: Case,
  status: z.enum(["passed", "failed", "skipped"]),
  message: Text.nullable(),
  /**
   * Mismatch of a failed case. In a passed case: an output is outside the tolerance, but as close to the problem's
   * oracle as the reference's output.
   */
  mismatch: Mismatch.nullable(),
  /** Minimum bytes moved and operations computed by the case, as declared by the problem; null if not declared. */
  bytes: z.number().nonnegative().nullable(),
  operations: z.number().nonnegative().nullable(),
  /**
   * Size of the output buffers in bytes; null in stages that do not time, and if the problem's own harness timed the
   * case.
   */
  outputBytes: z.number().nonnegative().nullable().default(null),
  /** Empty in stages that do not time. */
  rounds: Rounds,
  /** Null unless the problem's own harness timed the case. */
  summary: HarnessSummary.nullable().default(null),
  /** Null in stages that do not time, and unless the judge's rounds timed the case. */
  stopped: StopReason.nullable().default(null),
  /**
   * Errors of the first call of a timed case that passed. Absent for other cases, and if an error is not finite.
   */
  errors: OutputErrors.optional(),
});
export type CaseFinished = z.infer<typeof CaseFinished>;
export const Progress = z.object({
  type: z.literal("progress"),
  stage: Stage,
  /** Rounds done, and the maximum number of rounds; the stage may stop earlier. */
  done: z.number().int().nonnegative(),
  total: z.number().int().positive(),
});
/** Output of the submission on stdout and stderr: its head and its tail. */
export const Output = z.object({
  type: z.literal("output"),
  stage: Stage,
  head: Text,
  tail: Text,
  droppedBytes: z.number().int().nonnegative(),
});
/** From harmless to serious: common in honest kernels; needed by few honest kernels; needed by none. */
export const REVIEW_SEVERITIES = ["info", "warning", "suspicious"] as const;
/** Finding of the static review at one location in the source. Informative; does not affect the verdict. */
export const ReviewFinding = z.object({
  /** Id of the rule, such as `frames.walk`. */
  rule: z.string().max(60),
  severity: z.enum(REVIEW_SEVERITIES),
  /** Line and column, both from 1; the column counts characters. */
  line: z.number().int().positive(),
  column: z.number().int().positive(),
  /** Explanation for a person. */
  sentence: z.string().max(1000),
  /** Source line, truncated. */
  excerpt: z.string().max(400),
});
export type ReviewFinding = z.infer<typeof ReviewFinding>;
/** Findings of the static review, sorted by line. Sent only if there are any. */
export const ReviewEvent = z.object({ type: z.literal("review"), findings: z.array(ReviewFinding).max(50) });
export type ReviewEvent = z.infer<typeof ReviewEvent>;
/** Artifact that was written completely to the job's folder, under this name. */
export const ArtifactWritten = Artifact.extend({ type: z.literal("artifact"), stage: Stage });
export type ArtifactWritten = z.infer<typeof ArtifactWritten>;
/** Failure of one side of a duel. */
export const SideFailure = z.object({ failureClass: FailureClass, message: Text, detail: Text.nullable() });
export type SideFailure = z.infer<typeof SideFailure>;

/**
 * Result of a case of the problem's application. `inaccurate`: an output is outside the tolerance; `unstable`: it is not
 * finite where the reference's is; `drifts`: every call is correct, or would be with the reference's outputs so far, and
 * the results of the application are not; `not_run`: an earlier case ended the stage.
 */
export const ApplicationVerdict = z.enum([
  "holds",
  "inaccurate",
  "unstable",
  "drifts",
  "crashed",
  "timed_out",
  "not_run",
]);
export type ApplicationVerdict = z.infer<typeof ApplicationVerdict>;
/** Case of the application, in the order of the problem's. */
export const ApplicationCase = z.object({
  verdict: ApplicationVerdict,
  /** Whether the kernel holds and the interval of its speedup is below 1. Not a failure. */
  slower: z.boolean(),
  /** Null if the kernel holds. Of a hidden case, the verdict in words. */
  message: Text.nullable(),
  /** Number of a hidden case, from 1; absent for others. */
  hidden: z.int().positive().optional(),
});
export type ApplicationCase = z.infer<typeof ApplicationCase>;
/** Result of mode `application`: whether the kernel works in the problem's application. */
export const Validation = z.object({
  state: z.enum(["validated", "not_validated"]),
  /** Why it is not validated: the first case that does not hold. Null if it is validated. */
  reason: Text.nullable(),
  /** Number of cases that hold. */
  held: z.number().int().nonnegative(),
  cases: z.array(ApplicationCase).max(100),
  /**
   * Speedup over the reference on the same inputs: the median of the calls of a run, the geometric mean of the cases that
   * hold, and the interval over the runs. Null if no case holds.
   */
  speedup: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
});
export type Validation = z.infer<typeof Validation>;

export const VerdictEvent = z.object({
  type: z.literal("verdict"),
  /** Verdict of the run; in a duel, of A. */
  verdict: Verdict,
  failureClass: FailureClass.nullable(),
  /** Why the run did not pass, or what a profile lacks; one sentence for the participant. */
  message: Text.nullable(),
  /** Traceback or compile log of the participant's code; null if there is none. */
  detail: Text.nullable(),
  /** Present only if the rival of a duel failed. */
  rival: SideFailure.optional(),
  /** Present only if the tester was started for a rehearsal, which runners never do. */
  rehearsal: Rehearsal.optional(),
  /** Present only in mode `application`, once its cases have run. */
  validation: Validation.optional(),
});
export type VerdictEvent = z.infer<typeof VerdictEvent>;

/** Event of a run, as reported by the judge in order. */
export const JudgeEvent = z.discriminatedUnion("type", [
  StageStarted,
  StageFinished,
  CaseFinished,
  Progress,
  Output,
  ReviewEvent,
  ArtifactWritten,
  VerdictEvent,
]);
export type JudgeEvent = z.infer<typeof JudgeEvent>;

/** Line of the tester's output: ready, refused, or an event of the run with this id. */
export const TesterLine = z.union([
  z.object({ type: z.literal("ready"), machine: Machine }),
  z.object({ type: z.literal("refused"), reason: Text }),
  z.object({ id: z.string(), event: JudgeEvent }),
]);
export type TesterLine = z.infer<typeof TesterLine>;

/** Result of one check of a machine's readiness for judging. */
export const Check = z.object({
  name: z.string().max(100),
  ok: z.boolean(),
  /** Finding of the check. */
  detail: Text,
  /** How to fix a failed check or improve a passed one; null if there is nothing to do. */
  fix: Text.nullable(),
});
export type Check = z.infer<typeof Check>;

/** Output of `python3 -m kernelbot_tester doctor --json`. */
export const Checks = z.array(Check);

/** Result of one check of `qualify`, with its measurements. */
export const QualificationCheck = Check.extend({
  /** Null if the check was skipped, for lack of time or because it does not apply to the machine. */
  ok: z.boolean().nullable(),
  /** Measurements. Units are `us`, `ms`, `s`, `%`, `GB/s` and the like; a unit `of 60` is a count out of 60. */
  figures: z.array(z.object({ name: z.string().max(100), value: z.number(), unit: z.string().max(40) })).max(100),
});
export type QualificationCheck = z.infer<typeof QualificationCheck>;

/** Output of `python3 -m kernelbot_tester.qualify --json`. */
export const Qualification = z.object({
  /** Whether every requested check was made and passed. */
  ok: z.boolean(),
  /** Whether the machine may rank: every check was made and passed. */
  qualified: z.boolean(),
  /** Conclusion in one sentence: which submissions the machine may rank, or what prevents it. */
  verdict: Text,
  /** Kind of device on which kernels run. */
  device: z.enum(["cpu", "cuda"]),
  tookS: z.number().nonnegative(),
  /** Null if no check needed a tester, or if none could be started. */
  machine: Machine.nullable(),
  checks: z.array(QualificationCheck).max(200),
});
export type Qualification = z.infer<typeof Qualification>;
