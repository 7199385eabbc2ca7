/**
 * Protocol between a runner and the server. A runner claims a run under a lease and reports the events of the judge.
 * Every report renews the lease; an empty report is a heartbeat.
 *
 *     POST /api/v1/runner/claim                    -> 200 Claimed or Order, or 204 if no run is queued
 *     POST /api/v1/runner/check                    -> 200 RunnerCheck, or why the server would reject the runner
 *     POST /api/v1/runner/canary                   -> 200 CanaryTaken
 *     GET  /api/v1/runner/problems/{version}       -> Problem
 *     POST /api/v1/runner/runs/{id}/report         -> Reported, or 409 if the attempt is not current
 *     PUT  /api/v1/runner/runs/{id}/artifacts/{name}?attempt=N    -> Artifact, before its event is reported
 */
import { z } from "zod";
import { CANARY_CASES } from "./canary.ts";
import { Hex256 } from "../text/digest.ts";
import { Language } from "../vocabulary/language.ts";
import { Machine } from "../machine/machine.ts";
import { TargetName } from "../vocabulary/specification.ts";
import { JudgeEvent, Rival } from "../run/tester-protocol.ts";
import { RunMode } from "../vocabulary/states.ts";

export const ClaimRequest = z.object({
  target: TargetName,
  /** Name of the runner, chosen by its operator. */
  runner: z.string().min(1).max(100),
  machine: Machine,
  /** Long-poll timeout of the claim, in milliseconds. */
  waitMs: z.number().int().min(0).max(60_000),
  /** Random id drawn when the runner starts; distinguishes two processes with the same name. */
  instance: z.uuid().optional(),
  /** Whether the runner is able to time the canary now. */
  canary: z.boolean().optional(),
  /** Load average of the machine over the last minute, for each core: processes that run or wait for a core. */
  load: z.number().min(0).max(1e6).optional(),
});
export type ClaimRequest = z.infer<typeof ClaimRequest>;

/** Request of a runner's owner whether the server would accept the runner; it changes nothing. */
export const RunnerCheckRequest = ClaimRequest.pick({ target: true, runner: true }).extend({
  /** Null to check only token, target and name. */
  machine: Machine.nullable(),
});
export type RunnerCheckRequest = z.infer<typeof RunnerCheckRequest>;

export const RunnerCheck = z.object({
  /** Expiry of the token; null if it does not expire. */
  tokenExpiresAt: z.iso.datetime().nullable(),
});
export type RunnerCheck = z.infer<typeof RunnerCheck>;

export const Claimed = z.object({
  runId: z.number().int(),
  /** Fencing token: a report with a different attempt number is rejected. */
  attempt: z.number().int().positive(),
  /** Lease duration: the run is requeued if no report arrives for this long, in milliseconds. */
  leaseMs: z.number().int().positive(),
  mode: RunMode,
  target: TargetName,
  problemVersion: z.string(),
  source: z.string(),
  /**
   * Secret seed from which the inputs of this attempt are drawn. Only for the judge; must not appear in logs or events.
   */
  seed: Hex256,
  /** Id of the submitting account. A runner reuses compiled code of a source only for the same account. */
  account: z.string(),
  language: Language.default("py"),
  /** Present only in mode `duel`. */
  rival: Rival.optional(),
  /** Parent span of the runner's spans (W3C Trace Context), if the server records traces. */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional(),
});
export type Claimed = z.infer<typeof Claimed>;

export const RUNNER_COMMANDS = ["canary", "pause", "end"] as const;
/**
 * Command that a runner receives instead of a run: `canary` times the canary, `pause` claims no runs until further
 * notice, `end` stops claiming and exits.
 */
export const RunnerCommand = z.object({ order: z.enum(RUNNER_COMMANDS), reason: z.string().max(2000) });
export type RunnerCommand = z.infer<typeof RunnerCommand>;

export const ClaimResponse = z.union([Claimed, RunnerCommand]);
export type ClaimResponse = z.infer<typeof ClaimResponse>;

/** Result of timing the canary. */
export const CanaryReport = ClaimRequest.pick({ target: true, runner: true, machine: true }).extend({
  /** Id of the canary kernel; times of different kernels are not compared. */
  kernel: z.string().min(1).max(40),
  /** Times of the canary's cases, in nanoseconds and in order; null if it failed. */
  timesNs: z.array(z.number().positive().max(1e12)).length(CANARY_CASES.length).nullable(),
  /** Why the canary failed; null if it passed. */
  failure: z.string().max(2000).nullable(),
});
export type CanaryReport = z.infer<typeof CanaryReport>;

/** Response to a canary report, with a sentence for the runner's log. */
export const CanaryResponse = z.object({ message: z.string() });
export type CanaryResponse = z.infer<typeof CanaryResponse>;

export const RunReport = z.object({
  attempt: z.int32().positive(),
  /** Number of events of this attempt before these. Events that the server has already stored are ignored. */
  from: z.int32().nonnegative(),
  events: z.array(JudgeEvent).max(500),
});
export type RunReport = z.infer<typeof RunReport>;

export const ReportResponse = z.object({
  /** Number of events of this attempt that the server has stored. */
  received: z.number().int().nonnegative(),
  /** True if the run was cancelled: the runner stops it and sends no more reports. */
  cancelled: z.boolean(),
});
export type ReportResponse = z.infer<typeof ReportResponse>;
