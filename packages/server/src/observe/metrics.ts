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

export const requestSeconds = new Histogram({
  name: "kernelbot_http_request_duration_seconds",
  help: "Time to the first byte of the response, by route pattern; streams and long polls continue after it.",
  labelNames: ["method", "route", "status"],
  buckets: BUCKETS,
  registers,
});

export const eventReaders = new Gauge({
  name: "kernelbot_event_stream_readers",
  help: "Open event streams of this server.",
  registers,
});

export const storeSeconds = new Histogram({
  name: "kernelbot_object_store_duration_seconds",
  help: "Object store requests by outcome: ok, refused (incorrect content), failed (store error).",
  labelNames: ["operation", "outcome"],
  buckets: BUCKETS,
  registers,
});

export const clientConnections = new Gauge({
  name: "kernelbot_http_connections",
  help: "Open connections to the public address of this server.",
  registers,
});

export const clientsRefused = new Counter({
  name: "kernelbot_clients_refused_total",
  help: "Connections and requests rejected, by limit.",
  labelNames: ["limit"],
  registers,
});

export const computationSeconds = new Histogram({
  name: "kernelbot_computation_duration_seconds",
  help: "Computations in worker threads including the wait for a thread, by outcome: ok, failed, timeout, refused (queue full).",
  labelNames: ["task", "outcome"],
  buckets: BUCKETS,
  registers,
});

export const computationsWaiting = new Gauge({
  name: "kernelbot_computations_waiting",
  help: "Computations waiting for a worker thread.",
  registers,
});

const submissions = new Counter({
  name: "kernelbot_submissions_accepted_total",
  help: "Submissions committed by this server.",
  labelNames: ["mode"],
  registers,
});

const claims = new Histogram({
  name: "kernelbot_claim_duration_seconds",
  help: "Queue queries for a runner, without the long poll, by whether a run was found.",
  labelNames: ["found"],
  buckets: BUCKETS,
  registers,
});

const attempts = new Counter({
  name: "kernelbot_attempts_total",
  help: "Attempts claimed by runners.",
  labelNames: ["target"],
  registers,
});

const ended = new Counter({
  name: "kernelbot_runs_ended_total",
  help: "Runs ended by this server, by verdict and failure class.",
  labelNames: ["target", "mode", "verdict", "failure_class"],
  registers,
});

const retried = new Counter({
  name: "kernelbot_attempts_lost_total",
  help: "Attempts that ended without a verdict, by reason: lease (expired), judge (failed).",
  labelNames: ["target", "reason"],
  registers,
});

const jobsFailed = new Counter({
  name: "kernelbot_chores_failed_total",
  help: "Background jobs that failed and are retried.",
  labelNames: ["chore"],
  registers,
});

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
          reason: milestone.reason === "lease ran out" ? "lease" : "judge",
        });
      case "job_failed":
        return jobsFailed.inc({ chore: milestone.job });
    }
  });
}
