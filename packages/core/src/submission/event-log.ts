/**
 * Event log of a submission: every event is stored and numbered before it is published. Site, CLI, Discord and webhooks
 * all read this log.
 */
import { z } from "zod";
import { DuelSummary } from "../score/duel.ts";
import { Removal, RunDecided, RunFlagged } from "../moderation/moderation.ts";
import { RunScore } from "../score/ranked-by.ts";
import {
  ArtifactWritten,
  CaseFinished,
  Output,
  Progress,
  ReviewEvent,
  StageFinished,
  StageStarted,
} from "../run/tester-protocol.ts";
import { FailureClass, Mode, Verdict } from "../vocabulary/states.ts";

const SubmissionEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("submission_accepted"), board: z.string(), mode: Mode, targets: z.array(z.string()) }),
  z.object({
    type: z.literal("run_queued"),
    target: z.string(),
    /** Null at first; else why the run was requeued. */
    reason: z.string().nullable(),
  }),
  z.object({ type: z.literal("run_started"), target: z.string(), runner: z.string(), machine: z.string() }),
  StageStarted,
  StageFinished,
  CaseFinished.omit({ rounds: true }),
  Progress,
  Output,
  ReviewEvent,
  ArtifactWritten,
  z.object({
    type: z.literal("run_finished"),
    verdict: Verdict,
    failureClass: FailureClass.nullable(),
    message: z.string().nullable(),
    detail: z.string().nullable(),
    score: RunScore.nullable(),
    /** Present only for a duel. */
    duel: DuelSummary.optional(),
  }),
  z.object({ type: z.literal("run_cancelled") }),
  z.object({ type: z.literal("submission_finished") }),
  Removal.pick({ by: true, reason: true }).extend({ type: z.literal("submission_removed") }),
  z.object({ type: z.literal("submission_restored"), reason: z.string() }),
  RunFlagged,
  RunDecided,
]);
/** Event of a submission. */
export type SubmissionEvent = z.infer<typeof SubmissionEvent>;

export const LogEvent = z.object({
  /** Number of the event within its submission, from 1; the id of the server-sent event. */
  id: z.number().int().positive(),
  at: z.iso.datetime(),
  /** Null for events of the whole submission. */
  runId: z.number().int().nullable(),
  attempt: z.number().int().nullable(),
  event: SubmissionEvent,
});
/** Entry of a submission's event log. */
export type LogEvent = z.infer<typeof LogEvent>;
