/**
 * The words between a runner and the server. A runner claims a run, holds it under a lease, and reports what the judge
 * says; every report renews the lease, and an empty one is a heartbeat.
 *
 *     POST /api/v1/runner/claim                    -> 200 Claimed or Order, or 204 when nothing waits
 *     POST /api/v1/runner/canary                   -> 200 CanaryTaken
 *     GET  /api/v1/runner/problems/{version}       -> Problem
 *     POST /api/v1/runner/runs/{id}/report         -> Reported, or 409 when the attempt is no longer this runner's
 *     PUT  /api/v1/runner/runs/{id}/artifacts/{name}?attempt=N    -> Artifact, before its event is reported
 */
import { z } from "zod";
import { CANARY_CASES } from "./canary.ts";
import { Hex256 } from "./keys.ts";
import { Language } from "./language.ts";
import { Machine } from "./machine.ts";
import { TargetName } from "./problem-spec.ts";
import { JudgeEvent, Rival } from "./tester.ts";
import { Mode } from "./words.ts";

export const ClaimRequest = z.object({
  target: TargetName,
  /** What the operator calls this runner. */
  runner: z.string().min(1).max(100),
  machine: Machine,
  /** How long the server may hold the question open, in milliseconds. */
  waitMs: z.number().int().min(0).max(60_000),
  /** Drawn when the runner starts: tells two processes of the same name apart. */
  instance: z.uuid().optional(),
  /** Whether it could time the canary now. */
  canary: z.boolean().optional(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

export const Claimed = z.object({
  runId: z.number().int(),
  /** The fencing token: a report with another number is refused. */
  attempt: z.number().int().positive(),
  /** The run goes back to the queue when this long passes without a report. */
  leaseMs: z.number().int().positive(),
  mode: Mode,
  target: TargetName,
  problemVersion: z.string(),
  source: z.string(),
  /** The secret that the inputs of this attempt are drawn from: for the judge alone, in no log and no event. */
  seed: Hex256,
  /** The account that submitted it; a runner keeps what a source has compiled for that account alone. */
  account: z.string(),
  language: Language.default("py"),
  /** Only in mode `duel`. */
  rival: Rival.optional(),
  /** The span that the runner's continue (W3C Trace Context), where the server records traces. */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional(),
});
export type Claimed = z.infer<typeof Claimed>;

export const ORDERS = ["canary", "pause", "end"] as const;
/**
 * What a runner is told instead of a run: time the canary while you wait, claim nothing until you are told otherwise, or
 * claim nothing more and end.
 */
export const Order = z.object({ order: z.enum(ORDERS), reason: z.string().max(2000) });
export type Order = z.infer<typeof Order>;

export const ClaimAnswer = z.union([Claimed, Order]);
export type ClaimAnswer = z.infer<typeof ClaimAnswer>;

/** The canary was timed, or could not be. */
export const CanaryReport = ClaimRequest.pick({ target: true, runner: true, machine: true }).extend({
  /** Which kernel it is: times of different ones are not compared. */
  kernel: z.string().min(1).max(40),
  /** One for each of its cases, in order; null where it failed. */
  timesNs: z.array(z.number().positive().max(1e12)).length(CANARY_CASES.length).nullable(),
  /** Why it failed. */
  failure: z.string().max(2000).nullable(),
});
export type CanaryReport = z.infer<typeof CanaryReport>;

/** What the server makes of it, in a sentence for the runner's log. */
export const CanaryTaken = z.object({ message: z.string() });
export type CanaryTaken = z.infer<typeof CanaryTaken>;

export const Report = z.object({
  attempt: z.int32().positive(),
  /** How many events of this attempt came before these; those that the server has already are passed over. */
  from: z.int32().nonnegative(),
  events: z.array(JudgeEvent).max(500),
});
export type Report = z.infer<typeof Report>;

export const Reported = z.object({
  /** How many events of this attempt the server has stored. */
  received: z.number().int().nonnegative(),
  /** True when the participant cancelled: stop, and report no more. */
  cancelled: z.boolean(),
});
export type Reported = z.infer<typeof Reported>;
