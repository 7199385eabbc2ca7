/**
 * The states of a run and what may follow what; and what may become of its verdict once it is done (`NEXT_VERDICTS`). One place, enforced again by the database's check constraints.
 *
 *     queued --claim--> running --verdict--> done
 *       |  ^               |
 *       |  +--lease lost---+   (three attempts, then done with verdict infra_error)
 *       |                  |
 *       +------cancel------+--> cancelled
 */
import { z } from "zod";

export const MODES = ["test", "benchmark", "ranked", "profile", "duel"] as const;
/**
 * What a submission asks for: `test` checks, `benchmark` also times, `ranked` checks, times and enters the board, `profile`
 * says where the time goes, `duel` runs it and a rival in turn and says which is faster.
 */
export const Mode = z.enum(MODES);
export type Mode = z.infer<typeof Mode>;

export const STAGES = ["prepare", "test", "benchmark", "ranked", "profile", "duel"] as const;
/** A part of a run. */
export const Stage = z.enum(STAGES);
export type Stage = z.infer<typeof Stage>;

/** The stages of each mode, in order. */
export const STAGES_OF_MODE = {
  test: ["prepare", "test"],
  benchmark: ["prepare", "benchmark"],
  ranked: ["prepare", "test", "ranked"],
  profile: ["prepare", "profile"],
  duel: ["prepare", "test", "duel"],
} as const satisfies Record<Mode, readonly Stage[]>;

/** The modes in which a submission has no rival. */
export const SINGLE_MODES = MODES.filter((mode) => mode !== "duel");

export const RUN_STATES = ["queued", "running", "done", "cancelled"] as const;
/** Where a run is in its life. */
export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

/** The states that may follow each state. */
export const NEXT_STATES = {
  queued: ["running", "cancelled"],
  running: ["queued", "done", "cancelled"],
  done: [],
  cancelled: [],
} as const satisfies Record<RunState, readonly RunState[]>;

export const VERDICTS = ["passed", "failed", "quarantined", "infra_error"] as const;
/** How a run ended. Only `failed` is the kernel's own doing. */
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/**
 * What a moderator's decision, or a re-run that did not pass, may make of the verdict of a run that is done. Nothing else
 * changes one. A failure becomes a pass only where a decision was the failure, and its appeal was granted.
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
/** Why a run failed. `rejected`: it broke a rule, such as writing its output after it had said that it was done. */
export const FailureClass = z.enum(FAILURE_CLASSES);
export type FailureClass = z.infer<typeof FailureClass>;

/** How verdicts and classes of failure are called where a person reads them. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  passed: "passed",
  failed: "failed",
  quarantined: "quarantined",
  infra_error: "not judged",
};
export const FAILURE_WORDS: Readonly<Record<FailureClass, string>> = {
  compile_error: "compile error",
  crash: "crash",
  wrong_result: "wrong result",
  timeout: "timeout",
  out_of_memory: "out of memory",
  rejected: "rejected",
};

/** `failed: wrong result`, `not judged`. */
export function verdictWords(verdict: Verdict, failureClass: FailureClass | null): string {
  const words = VERDICT_WORDS[verdict];
  return failureClass === null ? words : `${words}: ${FAILURE_WORDS[failureClass]}`;
}

/** What the long text of a failure is: what the compiler says, or where the kernel stopped. */
export function detailTitle(failureClass: FailureClass | null): string {
  return failureClass === "compile_error" ? "Compile log" : "Traceback";
}

/** How many times a run is handed to a runner before it ends as `infra_error`. */
export const MAX_ATTEMPTS = 3;

/** Whether a run in this state will never change again. */
export function isFinal(state: RunState): boolean {
  return NEXT_STATES[state].length === 0;
}
