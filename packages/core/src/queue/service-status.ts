/** Status of the service, for participants: whether it accepts and judges submissions, and how quickly. */
import { z } from "zod";
import { TargetName } from "../vocabulary/specification.ts";
import { QueueTarget } from "./queue.ts";

/** Median time from submission to verdict of runs that ended in a period. */
export const VerdictTime = z.object({
  runs: z.int().nonnegative(),
  /** Null if no run ended. */
  medianMs: z.number().nonnegative().nullable(),
});
export type VerdictTime = z.infer<typeof VerdictTime>;

/** Something that keeps submissions from being judged, or that failed by the platform's fault. */
export const Incident = z.object({
  /**
   * `part`: a part of the server is not ready; `closed`: submissions are closed; `no_runner`: runs are queued for a target
   * that no runner serves; `infra_errors`: runs ended without a verdict by the platform's fault.
   */
  kind: z.enum(["part", "closed", "no_runner", "infra_errors"]),
  /** Null for the server as a whole. */
  target: TargetName.nullable(),
  /** When it began, or the hour in which it happened; null if unknown. */
  at: z.iso.datetime().nullable(),
  /** False for what happened in an earlier hour. */
  isCurrent: z.boolean(),
  what: z.string(),
});
export type Incident = z.infer<typeof Incident>;

export const StatusTarget = QueueTarget.extend({
  /** Runs that ended in the last hour. */
  lastHour: VerdictTime,
  /** Runs that ended in the last 24 hours. */
  lastDay: VerdictTime,
});
export type StatusTarget = z.infer<typeof StatusTarget>;

export const ServiceStatus = z.object({
  at: z.iso.datetime(),
  /** Whether every part works, submissions are accepted and queued runs can be claimed. */
  isWorking: z.boolean(),
  /** Whether the server accepts submissions. */
  accepts: z.boolean(),
  /** Targets of the boards that the caller can list. */
  targets: z.array(StatusTarget),
  /** Current incidents first, then those of the last 24 hours, the latest first. */
  incidents: z.array(Incident),
});
export type ServiceStatus = z.infer<typeof ServiceStatus>;

/** Returns the incidents of targets and server. @param checks Parts of the server, with `ok` or what is wrong. */
export function incidentsOf(
  accepts: boolean,
  checks: Readonly<Record<string, string>>,
  targets: readonly QueueTarget[],
): Incident[] {
  const current: Incident[] = Object.values(checks)
    .filter((check) => check !== "ok")
    .map((what) => ({ kind: "part", target: null, at: null, isCurrent: true, what }));
  if (!accepts) {
    const what = "submissions are closed; accepted submissions are still judged";
    current.push({ kind: "closed", target: null, at: null, isCurrent: true, what });
  }
  const past: Incident[] = [];
  for (const { target, status, waiting, oldestAt, hours } of targets) {
    if (waiting > 0 && (status === "offline" || status === "paused")) {
      const what = `${waiting} queued, and ${status === "offline" ? "no runner is online" : "every runner is paused"}`;
      current.push({ kind: "no_runner", target, at: oldestAt, isCurrent: true, what });
    }
    for (const [index, { at, runs, infraErrors }] of hours.entries()) {
      if (infraErrors === 0) continue;
      const isCurrent = index === hours.length - 1;
      const what = `${infraErrors} of ${runs} runs were not judged because of platform failures`;
      (isCurrent ? current : past).push({ kind: "infra_errors", target, at, isCurrent, what });
    }
  }
  return [...current, ...past.toSorted((a, b) => (b.at ?? "").localeCompare(a.at ?? ""))];
}
