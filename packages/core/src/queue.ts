/** The queue and the runners that work it off, as participants and operators see them. */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { Interval } from "./score.ts";
import { Mode } from "./words.ts";

/** What a run of a mode has taken on a target lately. */
export const ModeHistory = z.object({
  mode: Mode,
  waiting: z.int().nonnegative(),
  /** How many ended runs the median is of; the latest 50 of the last week at most. */
  runs: z.int().nonnegative(),
  /** From the claim to the verdict; null where fewer than ENOUGH_RUNS ended. */
  medianMs: z.number().nonnegative().nullable(),
});
export type ModeHistory = z.infer<typeof ModeHistory>;

/** An hour of a target, by when its runs ended. */
export const QueueHour = z.object({
  /** When it began. */
  at: z.iso.datetime(),
  runs: z.int().nonnegative(),
  /** From the submission to the claim; null where no run ended. */
  medianWaitMs: z.number().nonnegative().nullable(),
  infraErrors: z.int().nonnegative(),
});
export type QueueHour = z.infer<typeof QueueHour>;

export const QueueTarget = z.object({
  target: TargetName,
  /** The runners that are there, by what they are. */
  runners: z.array(z.object({ model: z.string(), count: z.int().positive() })),
  /** When the last runner was heard of; null where there has been none lately. */
  lastRunnerAt: z.iso.datetime().nullable(),
  waiting: z.int().nonnegative(),
  running: z.int().nonnegative(),
  /** When what has waited longest was submitted; null where nothing waits. */
  oldestAt: z.iso.datetime().nullable(),
  /** How long a test waits that comes now from an account with nothing else there; null where that is not known. */
  expectedWaitMs: Interval.nullable(),
  /** The modes that ran or wait, in the order of their names. */
  modes: z.array(ModeHistory),
  /** The last 24, the latest last. */
  hours: z.array(QueueHour),
});
export type QueueTarget = z.infer<typeof QueueTarget>;

/** In the order of their names. */
export const Queue = z.object({ at: z.iso.datetime(), targets: z.array(QueueTarget) });
export type Queue = z.infer<typeof Queue>;

/** A run that waits, as an administrator sees it. */
export const WaitingRun = z.object({
  runId: z.int(),
  submissionId: z.int(),
  account: AccountName,
  board: ProblemName,
  target: TargetName,
  mode: Mode,
  /** Above 0 for one that is run again on fresh seeds. */
  rerun: z.int().nonnegative(),
  /** How often it was claimed before. */
  attempt: z.int().nonnegative(),
  /** 1 is claimed next on its target. */
  position: z.int().positive(),
  waitsSince: z.iso.datetime(),
});
export type WaitingRun = z.infer<typeof WaitingRun>;

export const WaitingRunList = z.object({ runs: z.array(WaitingRun) });
