/**
 * Milestones of submissions, published after their commit, for metrics and the log. Nothing depends on their delivery.
 */
import { channel } from "node:diagnostics_channel";
import type { FailureClass, RunMode, Verdict } from "@kernelbot/core";

interface OfRun {
  runId: number;
  submissionId: number;
  attempt: number;
  target: string;
  mode: RunMode;
}

type Milestone =
  | {
      type: "accepted";
      submissionId: number;
      runIds: readonly number[];
      board: string;
      mode: RunMode;
      accountId: string;
    }
  | ({ type: "claimed"; runner: string } & OfRun)
  /** A query of the queue for a runner, with or without a result. */
  | { type: "queue_read"; found: boolean; ms: number }
  | ({ type: "ended"; verdict: Verdict; failureClass: FailureClass | null } & OfRun)
  /** An attempt without a verdict: the run is requeued, or has ended if this was the last attempt. */
  | ({ type: "retried"; reason: "lease ran out" | "judge failed" | "machine was busy" } & OfRun)
  | { type: "job_failed"; job: string; message: string };

const milestones = channel("kernelbot.milestones");

export function recordMilestone(milestone: Milestone): void {
  milestones.publish(milestone);
}

/** Calls the listener at each milestone of this process; returns a function that stops it. */
export function onMilestone(listener: (milestone: Milestone) => void): () => void {
  const forward = (message: unknown): void => listener(message as Milestone);
  milestones.subscribe(forward);
  return () => {
    milestones.unsubscribe(forward);
  };
}
