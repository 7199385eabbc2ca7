/**
 * Prometheus metrics of this process. Label values are constants or names chosen by an administrator, so their number
 * is bounded.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { onMilestone } from "./milestones.ts";

export const registry = new Registry();
const registers = [registry];

/** Seconds. Targets: 50 ms for claims, 20 ms for pages. */
const BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

const gauge = (name: string, help: string) => new Gauge({ name, help, registers });

function counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
  return new Counter({ name, help, labelNames, registers });
}

function histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
}

export const requestSeconds = histogram(
  "kernelbot_http_request_duration_seconds",
  "Time to the first byte of the response, by route pattern; streams and long polls continue after it.",
  ["method", "route", "status"],
);

export const eventReaders = gauge("kernelbot_event_stream_readers", "Open event streams of this server.");

export const storeSeconds = histogram(
  "kernelbot_object_store_duration_seconds",
  "Object store requests by outcome: ok, refused (incorrect content), failed (store error).",
  ["operation", "outcome"],
);

export const clientConnections = gauge(
  "kernelbot_http_connections",
  "Open connections to the public address of this server.",
);

export const clientsRefused = counter(
  "kernelbot_clients_refused_total",
  "Connections and requests rejected, by limit.",
  ["limit"],
);

export const databaseErrors = counter(
  "kernelbot_database_errors_total",
  "Statements that failed, by kind: connection, conflict (rolled back in favour of another), resources (disk, memory, connections), canceled, read_only, constraint, other.",
  ["kind"],
);

export const computationSeconds = histogram(
  "kernelbot_computation_duration_seconds",
  "Computations in worker threads including the wait for a thread, by outcome: ok, failed, timeout, refused (queue full).",
  ["task", "outcome"],
);

export const computationsWaiting = gauge("kernelbot_computations_waiting", "Computations waiting for a worker thread.");

const submissions = counter("kernelbot_submissions_accepted_total", "Submissions committed by this server.", ["mode"]);

const claims = histogram(
  "kernelbot_claim_duration_seconds",
  "Queue queries for a runner, without the long poll, by whether a run was found.",
  ["found"],
);

const attempts = counter("kernelbot_attempts_total", "Attempts claimed by runners.", ["target"]);

const ended = counter("kernelbot_runs_ended_total", "Runs ended by this server, by verdict and failure class.", [
  "target",
  "mode",
  "verdict",
  "failure_class",
]);

const retried = counter(
  "kernelbot_attempts_lost_total",
  "Attempts that ended without a verdict, by reason: lease (expired), judge (failed), busy (the machine: timed again).",
  ["target", "reason"],
);

const jobsFailed = counter("kernelbot_chores_failed_total", "Background jobs that failed and are retried.", ["chore"]);

const LOST = { "lease ran out": "lease", "judge failed": "judge", "machine was busy": "busy" } as const;

/** Starts counting milestones; returns a function that stops it. */
export function countMilestones(): () => void {
  return onMilestone((milestone) => {
    switch (milestone.type) {
      case "accepted":
        return submissions.inc({ mode: milestone.mode });
      case "claimed":
        return attempts.inc({ target: milestone.target });
      case "queue_read":
        return claims.observe({ found: String(milestone.found) }, milestone.ms / 1000);
      case "ended":
        return ended.inc({
          target: milestone.target,
          mode: milestone.mode,
          verdict: milestone.verdict,
          failure_class: milestone.failureClass ?? "none",
        });
      case "retried":
        return retried.inc({
          target: milestone.target,
          reason: LOST[milestone.reason],
        });
      case "job_failed":
        return jobsFailed.inc({ chore: milestone.job });
    }
  });
}
