/** Periodic background jobs of a server. */
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { recordMilestone } from "../observe/milestones.ts";

const TICK_MS = 1000;
/** Time after which a job that is still running is logged. */
const SLOW_MS = 60_000;

export interface PeriodicJob {
  /** Name in error messages. */
  name: string;
  /** Minimum interval between starts, in milliseconds. */
  everyMs: number;
  /** Set for a job that takes minutes: other jobs do not wait for it. Never runs twice at the same time. */
  long?: true;
  /** Executes the job. @param signal Aborts a long job. */
  run: (signal: AbortSignal) => Promise<unknown>;
}

interface PeriodicJobs {
  /** Starts the jobs that are due at once, rather than within a second. */
  wake(): void;
  /** Resolves once the running jobs have ended. */
  stop(): Promise<void>;
}

/**
 * Starts the jobs. They run one after the other in the given order, except long ones. A failed job is logged and tried
 * again; so is one that keeps the others waiting.
 */
export function startPeriodicJobs(database: Database, jobs: readonly PeriodicJob[]): PeriodicJobs {
  const stopped = new AbortController();
  const { signal } = stopped;
  const long = new Map<PeriodicJob, Promise<void>>();
  const due = new Map(jobs.map((job) => [job, -Infinity]));
  let woken = Promise.withResolvers<undefined>();

  async function tick(): Promise<void> {
    for (const [job, at] of due) {
      if (signal.aborted || performance.now() < at || long.has(job)) continue;
      due.set(job, performance.now() + job.everyMs);
      const done = runJob(database, job, signal);
      if (job.long === undefined) await done;
      else
        long.set(
          job,
          done.finally(() => long.delete(job)),
        );
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      await tick();
      // Rejects when stopped; the loop checks the signal.
      await Promise.race([pause(TICK_MS, undefined, { signal }).catch(() => undefined), woken.promise]);
    }
    await Promise.all(long.values());
  })();
  return {
    wake: () => woken.resolve(undefined),
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

/** Runs a job once. Never throws: a failure is logged, unless the signal is aborted. */
export async function runJob(database: Database, { name, long, run }: PeriodicJob, signal: AbortSignal): Promise<void> {
  const slow = `background job has been running for ${SLOW_MS / 1000} s, and delays the others: ${name}`;
  const timer = long === undefined ? setTimeout(() => database.log(slow), SLOW_MS) : undefined;
  try {
    await run(signal);
  } catch (error) {
    if (signal.aborted) return;
    database.log(`background job failed and will be retried: ${name}: ${String(error)}`);
    recordMilestone({ type: "job_failed", job: name, message: String(error) });
  } finally {
    clearTimeout(timer);
  }
}
