/** Status of the queue and its runners, for participants and operators. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { Interval } from "../vocabulary/interval.ts";
import { Mode, RunMode } from "../vocabulary/states.ts";
import { TargetStatus } from "./availability.ts";

/** Queued runs of a mode on a target, and recent durations of that mode. */
export const ModeHistory = z.object({
  mode: Mode,
  waiting: z.int().nonnegative(),
  /** Number of finished runs in the median: the latest 50 of the last week at most. */
  runs: z.int().nonnegative(),
  /** Median time from claim to verdict; null if fewer than ENOUGH_RUNS finished. */
  medianMs: z.number().nonnegative().nullable(),
});
export type ModeHistory = z.infer<typeof ModeHistory>;

/** Statistics of the runs of a target that ended in a given hour. */
export const QueueHour = z.object({
  /** Start of the hour. */
  at: z.iso.datetime(),
  runs: z.int().nonnegative(),
  /** Median time from submission to claim; null if no run ended. */
  medianWaitMs: z.number().nonnegative().nullable(),
  infraErrors: z.int().nonnegative(),
});
export type QueueHour = z.infer<typeof QueueHour>;

export const QueueTarget = z.object({
  target: TargetName,
  status: TargetStatus,
  /** Number of runners online, by machine model. */
  runners: z.array(z.object({ model: z.string(), count: z.int().positive() })),
  /** When a runner of the target was last seen; null if none was seen recently. */
  lastRunnerAt: z.iso.datetime().nullable(),
  waiting: z.int().nonnegative(),
  running: z.int().nonnegative(),
  /** When the longest-queued run was submitted; null if the queue is empty. */
  oldestAt: z.iso.datetime().nullable(),
  /** Expected wait of a test submitted now by an account with no other runs in the queue; null if unknown. */
  expectedWaitMs: Interval.nullable(),
  /** Modes with queued or recent runs, sorted by name. */
  modes: z.array(ModeHistory),
  /** Last 24 hours, newest last. */
  hours: z.array(QueueHour),
});
export type QueueTarget = z.infer<typeof QueueTarget>;

/** Status of every target, sorted by name. */
export const Queue = z.object({ at: z.iso.datetime(), targets: z.array(QueueTarget) });
export type Queue = z.infer<typeof Queue>;

/** Queued run, as administrators see it. */
export const WaitingRun = z.object({
  runId: z.int(),
  submissionId: z.int(),
  account: AccountName,
  board: ProblemName,
  target: TargetName,
  mode: RunMode,
  /** 0 for an original run; above 0 for a re-run on fresh seeds. */
  rerun: z.int().nonnegative(),
  /** Number of earlier claims of the run. */
  attempt: z.int().nonnegative(),
  /** Position in the queue of its target, from 1. */
  position: z.int().positive(),
  waitsSince: z.iso.datetime(),
});
export type WaitingRun = z.infer<typeof WaitingRun>;

export const WaitingRunList = z.object({ runs: z.array(WaitingRun) });
