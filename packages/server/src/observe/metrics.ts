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
  help: "Requests until their answer begins; of streams and waits, that is not their end. By route, not by address.",
  labelNames: ["method", "route", "status"],
  buckets: BUCKETS,
  registers,
});

export const eventReaders = new Gauge({
  name: "kernelbot_event_stream_readers",
  help: "Readers of event streams that are connected to this server.",
  registers,
});

export const storeSeconds = new Histogram({
  name: "kernelbot_object_store_duration_seconds",
  help: "What is asked of the object store, by what came of it: ok, refused (the bytes were wrong), failed (the store).",
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
  help: "Connections and requests refused, by the limit that was reached.",
  labelNames: ["limit"],
  registers,
});

export const computationSeconds = new Histogram({
  name: "kernelbot_computation_duration_seconds",
  help: "Computations in worker threads, with their wait for a thread, by outcome: ok, failed, timeout, refused (queue full).",
  labelNames: ["task", "outcome"],
  buckets: BUCKETS,
  registers,
});

export const computationsWaiting = new Gauge({
  name: "kernelbot_computations_waiting",
  help: "Computations that wait for a worker thread of this server.",
  registers,
});

const submissions = new Counter({
  name: "kernelbot_submissions_accepted_total",
  help: "Submissions that this server committed.",
  labelNames: ["mode"],
  registers,
});

const claims = new Histogram({
  name: "kernelbot_claim_duration_seconds",
  help: "Looks into the queue for a runner, without the wait for work, by whether a run was found.",
  labelNames: ["found"],
  buckets: BUCKETS,
  registers,
});

const attempts = new Counter({
  name: "kernelbot_attempts_total",
  help: "Attempts that runners were given.",
  labelNames: ["target"],
  registers,
});

const ended = new Counter({
  name: "kernelbot_runs_ended_total",
  help: "Runs that this server ended, by verdict and class of failure.",
  labelNames: ["target", "mode", "verdict", "failure_class"],
  registers,
});

const retried = new Counter({
  name: "kernelbot_attempts_lost_total",
  help: "Attempts that brought no verdict, by reason: lease (the runner went silent), judge (it failed).",
  labelNames: ["target", "reason"],
  registers,
});

const choresFailed = new Counter({
  name: "kernelbot_chores_failed_total",
  help: "Chores that failed and are tried again.",
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
      case "chore_failed":
        return choresFailed.inc({ chore: milestone.chore });
    }
  });
}
