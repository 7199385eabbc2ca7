/**
 * What a runner says to the tester and what the tester answers: one JSON document a line, jobs on its standard input,
 * events on its standard output. The events of a run, in order:
 *
 *     stage_started prepare, review, stage_finished prepare, stage_started test, case_finished ... , stage_finished test, ..., verdict
 *
 * Large things do not travel in lines: they are files in the folder that the job names, each told by an event `artifact`.
 */
import { z } from "zod";
import { Artifact } from "./artifact.ts";
import { Hex256 } from "./keys.ts";
import { Language } from "./language.ts";
import { Machine } from "./machine.ts";
import { Case, Problem } from "./problem-spec.ts";
import { FailureClass, Mode, Stage, Verdict } from "./words.ts";

/** The other submission of a duel, as the judge needs it. */
export const Rival = z.object({ source: z.string(), language: Language });
export type Rival = z.infer<typeof Rival>;

/** What trying a kernel for an accelerator on a processor has shown: nothing that was judged. In sentences for its author. */
export const Rehearsal = z.object({
  /** The board's target, of which there is no device. */
  target: z.string().max(200),
  /** Why there is none. */
  reason: z.string().max(2000),
  checked: z.array(z.string().max(4000)).max(20),
  unchecked: z.array(z.string().max(7000)).max(40),
});
export type Rehearsal = z.infer<typeof Rehearsal>;

/** A job for the tester: judge this source. */
export const Job = z.object({
  type: z.literal("run"),
  /** Echoed in every event of the run. */
  id: z.string().max(100),
  mode: Mode,
  /** The board's target, which selects the cases. */
  target: z.string(),
  problem: Problem,
  source: z.string(),
  /** The secret that the inputs of the timed stages are drawn from; without it the judge draws its own. */
  seed: Hex256.optional(),
  /** An existing folder for artifacts; mode `profile` needs one. */
  artifactFolder: z.string().max(4096).optional(),
  /** Whose it is: what the import compiles is kept for the next run of this account and source. Absent: nothing is kept. */
  account: z.string().min(1).max(200).optional(),
  /** Python where it is not told. */
  language: Language.optional(),
  /** B, where the source is A; mode `duel` needs one. */
  rival: Rival.optional(),
});
export type Job = z.infer<typeof Job>;

/** Text of a stranger: bounded, and shown only escaped. */
const Text = z.string().max(20_000);

const Nanoseconds = z.number().nonnegative();

/** How an accelerator was during a round, at its worst; null where its driver does not tell. */
export const Conditions = z.object({
  smMhz: z.number().nonnegative().nullable(),
  memoryMhz: z.number().nonnegative().nullable(),
  temperatureC: z.number().nullable(),
  powerW: z.number().nonnegative().nullable(),
  /** What held its clock back, in words. */
  throttled: z.array(z.string().max(60)).max(16),
  /** Why the round was taken again: it was throttled, or its clock was under 95 % of that of its siblings. */
  mark: z.string().max(300).nullable(),
});
export type Conditions = z.infer<typeof Conditions>;

/**
 * The samples of one case. Round r holds the times of the candidate and of the reference, taken alternately in the same
 * session on the same inputs; all in nanoseconds by the judge's clock, on an accelerator within its bounds by the device's.
 */
export const Rounds = z
  .array(
    z.object({
      candidateNs: z.array(Nanoseconds).max(1000),
      /** Only in a duel: those of B, where the candidate is A. Of one that has failed there are none. */
      rivalNs: z.array(Nanoseconds).max(1000).optional(),
      referenceNs: z.array(Nanoseconds).max(1000),
      /** Only where sensors were read. */
      conditions: Conditions.optional(),
    }),
  )
  .max(200);
export type Rounds = z.infer<typeof Rounds>;

/**
 * The figures that a harness of the problem's own reports of one timed case, instead of samples: in nanoseconds by its own
 * clock. All but the mean are null where the harness does not report them.
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

/** How an output differs from what was expected. */
export const Mismatch = z.object({
  differing: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  /** Null where the outputs are not numbers that can be subtracted. */
  largestAbsolute: z.number().nullable(),
  largestRelative: z.number().nullable(),
  /** The first few places. `got` and `expected` are texts, since JSON has no NaN. */
  first: z
    .array(z.object({ index: z.array(z.number().int()), got: z.string().max(60), expected: z.string().max(60) }))
    .max(10),
});
export type Mismatch = z.infer<typeof Mismatch>;

export const StageStarted = z.object({
  type: z.literal("stage_started"),
  stage: Stage,
  /** How many cases the stage has. */
  cases: z.number().int().nonnegative(),
});
export const StageFinished = z.object({
  type: z.literal("stage_finished"),
  stage: Stage,
  passed: z.boolean(),
  durationNs: Nanoseconds,
});
export const CaseFinished = z.object({
  type: z.literal("case_finished"),
  stage: Stage,
  index: z.int32().nonnegative(),
  /** The public parameters; timed stages draw their seeds in secret and never tell them. */
  case: Case,
  status: z.enum(["passed", "failed", "skipped"]),
  message: Text.nullable(),
  /** Of a case that passed: an output is outside of the tolerance, and as near to the problem's oracle as the reference's own. */
  mismatch: Mismatch.nullable(),
  /** What the problem declares that the case must move and compute at least; null where it does not declare it. */
  bytes: z.number().nonnegative().nullable(),
  operations: z.number().nonnegative().nullable(),
  /** The size of its output buffers; null in stages that do not time, and where the problem's own harness timed. */
  outputBytes: z.number().nonnegative().nullable().default(null),
  /** Empty in stages that do not time. */
  rounds: Rounds,
  /** Null unless the problem's own harness timed the case. */
  summary: HarnessSummary.nullable().default(null),
});
export type CaseFinished = z.infer<typeof CaseFinished>;
export const Progress = z.object({
  type: z.literal("progress"),
  stage: Stage,
  /** Rounds done and the most that there can be; the stage may stop sooner. */
  done: z.number().int().nonnegative(),
  total: z.number().int().positive(),
});
/** What the submission printed: the head and the tail are kept. */
export const Output = z.object({
  type: z.literal("output"),
  stage: Stage,
  head: Text,
  tail: Text,
  droppedBytes: z.number().int().nonnegative(),
});
/** From harmless to grave: honest kernels do it too; few honest kernels need it; none does. */
export const REVIEW_SEVERITIES = ["info", "warning", "suspicious"] as const;
/** What the static review says of a place in the source. It informs and decides nothing. */
export const ReviewFinding = z.object({
  /** Which rule, as `frames.walk`. */
  rule: z.string().max(60),
  severity: z.enum(REVIEW_SEVERITIES),
  /** Both count from 1, in characters. */
  line: z.number().int().positive(),
  column: z.number().int().positive(),
  /** For a person. */
  sentence: z.string().max(1000),
  /** The line, shortened. */
  excerpt: z.string().max(400),
});
export type ReviewFinding = z.infer<typeof ReviewFinding>;
/** What the review found, in the order of the lines. It comes only where there is something. */
export const Reviewed = z.object({ type: z.literal("review"), findings: z.array(ReviewFinding).max(50) });
export type Reviewed = z.infer<typeof Reviewed>;
/** A file lies whole in the folder of the job, under this name. */
export const ArtifactWritten = Artifact.extend({ type: z.literal("artifact"), stage: Stage });
export type ArtifactWritten = z.infer<typeof ArtifactWritten>;
/** How a side of a duel has failed. */
export const SideFailure = z.object({ failureClass: FailureClass, message: Text, detail: Text.nullable() });
export type SideFailure = z.infer<typeof SideFailure>;

export const VerdictReached = z.object({
  type: z.literal("verdict"),
  /** In a duel that of A. */
  verdict: Verdict,
  failureClass: FailureClass.nullable(),
  /** One sentence for the participant: why it did not pass, or what a profile lacks. */
  message: Text.nullable(),
  /** The participant's own traceback or compile log; null where there is none. */
  detail: Text.nullable(),
  /** Only where the rival of a duel has failed. */
  rival: SideFailure.optional(),
  /** Only where the tester was started to rehearse: no runner does so. */
  rehearsal: Rehearsal.optional(),
});
export type VerdictReached = z.infer<typeof VerdictReached>;

/** What the judge reports of a run, in order. */
export const JudgeEvent = z.discriminatedUnion("type", [
  StageStarted,
  StageFinished,
  CaseFinished,
  Progress,
  Output,
  Reviewed,
  ArtifactWritten,
  VerdictReached,
]);
export type JudgeEvent = z.infer<typeof JudgeEvent>;

/** A line of the tester: it is ready, or an event of the run with this id. */
export const TesterLine = z.union([
  z.object({ type: z.literal("ready"), machine: Machine }),
  z.object({ type: z.literal("refused"), reason: Text }),
  z.object({ id: z.string(), event: JudgeEvent }),
]);
export type TesterLine = z.infer<typeof TesterLine>;

/** One thing that a machine needs for judging. */
export const Check = z.object({
  name: z.string().max(100),
  ok: z.boolean(),
  /** What was found. */
  detail: Text,
  /** What to do about it, or where it is well what would make it better; null where nothing is to be done. */
  fix: Text.nullable(),
});
export type Check = z.infer<typeof Check>;

/** What `python3 -m kernelbot_tester doctor --json` prints. */
export const Checks = z.array(Check);

/** One check of `qualify`, with what it measured. */
export const QualificationCheck = Check.extend({
  /** Null: not looked at, for want of time, or since the machine does not judge what it is about. */
  ok: z.boolean().nullable(),
  /** Units are `us`, `ms`, `s`, `%`, `GB/s` and such; `of 60` counts some of 60. */
  figures: z.array(z.object({ name: z.string().max(100), value: z.number(), unit: z.string().max(40) })).max(100),
});
export type QualificationCheck = z.infer<typeof QualificationCheck>;

/** What `python3 -m kernelbot_tester.qualify --json` prints. */
export const Qualification = z.object({
  /** Whether all checks that were asked for were made, and all is well. */
  ok: z.boolean(),
  /** Whether the machine may rank: all checks were made, and all is well. */
  qualified: z.boolean(),
  /** What follows, in a sentence: which submissions the machine may rank, or what keeps it from that. */
  verdict: Text,
  /** What kernels run on. */
  device: z.enum(["cpu", "cuda"]),
  tookS: z.number().nonnegative(),
  /** Null where no check needed a tester, or none could be started. */
  machine: Machine.nullable(),
  checks: z.array(QualificationCheck).max(200),
});
export type Qualification = z.infer<typeof Qualification>;
