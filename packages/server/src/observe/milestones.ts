/**
 * What the way of a submission has come to, told once it is committed: for metrics and the operator's log, which listen
 * where they are wanted. Nothing depends on it being heard.
 */
import { channel } from "node:diagnostics_channel";
import type { FailureClass, Mode, Verdict } from "@kernelbot/core";

interface OfRun {
  runId: number;
  submissionId: number;
  attempt: number;
  target: string;
  mode: Mode;
}

export type Milestone =
  | { type: "accepted"; submissionId: number; runIds: readonly number[]; board: string; mode: Mode; accountId: string }
  | ({ type: "claimed"; runner: string } & OfRun)
  /** A look into the queue for a runner, which got a run or not. */
  | { type: "queue_read"; found: boolean; ms: number }
  | ({ type: "ended"; verdict: Verdict; failureClass: FailureClass | null } & OfRun)
  /** An attempt brought no verdict: the run waits again, or has ended if it was the last. */
  | ({ type: "retried"; reason: "lease ran out" | "judge failed" } & OfRun)
  | { type: "chore_failed"; chore: string; message: string };

const milestones = channel("kernelbot.milestones");

export function reached(milestone: Milestone): void {
  milestones.publish(milestone);
}

/** Calls back at each milestone of this process; returns how to end that. */
export function onMilestone(listener: (milestone: Milestone) => void): () => void {
  const heard = (message: unknown): void => listener(message as Milestone);
  milestones.subscribe(heard);
  return () => {
    milestones.unsubscribe(heard);
  };
}
