/**
 * States of a run and their transitions, and the changes of verdict permitted once it is done (`NEXT_VERDICTS`). The
 * check constraints of the database enforce the same rules.
 *
 *     queued --claim--> running --verdict--> done
 *       |  ^               |
 *       |  +--lease lost---+   (three attempts, then done with verdict infra_error)
 *       |                  |
 *       +------cancel------+--> cancelled
 */
import { z } from "zod";

export const MODES = ["test", "benchmark", "ranked", "profile", "duel", "application"] as const;
/**
 * Mode of a submission. `test` checks correctness, `benchmark` times and checks only the timed cases, `ranked` checks,
 * times and enters the board, `profile` records where time is spent, `duel` times two submissions alternately and
 * determines the faster one, `application` runs the problem's application with the kernel, and has no score.
 */
export const Mode = z.enum(MODES);
export type Mode = z.infer<typeof Mode>;

export const RUN_MODES = [...MODES, "compile", "reward"] as const;
/**
 * Mode of a run: that of its submission, or one of an evaluation. `compile` only imports or builds, `reward` checks and
 * times like `ranked`, but enters no board.
 */
export const RunMode = z.enum(RUN_MODES);
export type RunMode = z.infer<typeof RunMode>;

export const STAGES = ["prepare", "test", "benchmark", "ranked", "profile", "duel", "application"] as const;
/** Part of a run. */
export const Stage = z.enum(STAGES);
export type Stage = z.infer<typeof Stage>;

/** Stages of each mode, in order. */
export const STAGES_OF_MODE = {
  test: ["prepare", "test"],
  benchmark: ["prepare", "benchmark"],
  ranked: ["prepare", "test", "ranked"],
  profile: ["prepare", "profile"],
  duel: ["prepare", "test", "duel"],
  compile: ["prepare"],
  reward: ["prepare", "test", "benchmark"],
  application: ["prepare", "application"],
} as const satisfies Record<RunMode, readonly Stage[]>;

/** Modes without a rival submission. */
export const SINGLE_MODES = MODES.filter((mode) => mode !== "duel");

export const RUN_STATES = ["queued", "running", "done", "cancelled"] as const;
/** State of a run. */
export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

/** States that may follow each state. */
export const NEXT_STATES = {
  queued: ["running", "cancelled"],
  running: ["queued", "done", "cancelled"],
  done: [],
  cancelled: [],
} as const satisfies Record<RunState, readonly RunState[]>;

export const VERDICTS = ["passed", "failed", "quarantined", "infra_error"] as const;
/** How a run ended. Only `failed` is attributed to the submission. */
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/**
 * Verdicts to which a moderator's decision, or a re-run that did not pass, may change the verdict of a finished run. No
 * other change is possible. `failed` becomes `passed` only if a moderator's decision caused the failure and an appeal
 * against it was granted.
 */
export const NEXT_VERDICTS = {
  passed: ["quarantined"],
  quarantined: ["passed", "failed"],
  failed: ["passed"],
  infra_error: [],
} as const satisfies Record<Verdict, readonly Verdict[]>;

export const FAILURE_CLASSES = [
  "compile_error",
  "crash",
  "wrong_result",
  "timeout",
  "out_of_memory",
  "rejected",
] as const;
/**
 * Why a run failed. `rejected`: the submission broke a rule, for example by writing its output after it had reported
 * completion.
 */
export const FailureClass = z.enum(FAILURE_CLASSES);
export type FailureClass = z.infer<typeof FailureClass>;

/** Display names of verdicts and failure classes. */
export const VERDICT_LABELS: Readonly<Record<Verdict, string>> = {
  passed: "passed",
  failed: "failed",
  quarantined: "quarantined",
  infra_error: "not judged",
};
export const FAILURE_CLASS_LABELS: Readonly<Record<FailureClass, string>> = {
  compile_error: "compile error",
  crash: "crash",
  wrong_result: "wrong result",
  timeout: "timeout",
  out_of_memory: "out of memory",
  rejected: "rejected",
};

/** Formats a verdict with its failure class: `failed: wrong result`, `not judged`. */
export function formatVerdict(verdict: Verdict, failureClass: FailureClass | null): string {
  const words = VERDICT_LABELS[verdict];
  return failureClass === null ? words : `${words}: ${FAILURE_CLASS_LABELS[failureClass]}`;
}

/** Returns the heading for the detail text of a failure: a compile log or a traceback. */
export function detailTitle(failureClass: FailureClass | null): string {
  return failureClass === "compile_error" ? "Compile log" : "Traceback";
}

/** Maximum number of times a run is leased before it ends as `infra_error`. */
export const MAX_ATTEMPTS = 3;

/** Returns whether a state has no successor. */
export function isFinal(state: RunState): boolean {
  return NEXT_STATES[state].length === 0;
}
