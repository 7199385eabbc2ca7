/** The queue of a target in the shape of the popcorn client. */
import { canRun, formatAvailability, type TargetStatus } from "@kernelbot/core";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { readAvailabilities } from "@kernelbot/server/src/queue/availability.ts";

/**
 * Counts the queued and running runs of a target. The client prints `runner` before the number of queued jobs, so
 * `runner` names the target's status where no runner is online.
 */
export async function runnerQueue(database: Database, target: string) {
  const { db } = database;
  const [known, running, availabilities] = await Promise.all([
    db.selectFrom("board").select("target").where("target", "=", target).limit(1).executeTakeFirst(),
    db
      .selectFrom("run")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("target", "=", target)
      .where("state", "=", "running")
      .executeTakeFirstOrThrow(),
    readAvailabilities(database),
  ]);
  const none = { queued_jobs: null, running_jobs: null, available_runners: null, status: "unavailable" };
  if (known === undefined) return { runner: "unknown", gpu: target, ...none, error: "unknown gpu" };
  const availability = availabilities(target);
  const { status, online, queued } = availability;
  const counts = { queued_jobs: queued, running_jobs: running.count, available_runners: online };
  return {
    runner: RUNNER_NAMES[status],
    gpu: target,
    ...counts,
    status: canRun(availability) ? "available" : "unavailable",
    error: canRun(availability) ? null : formatAvailability(target, availability, new Date()),
  };
}

const RUNNER_NAMES: Readonly<Record<TargetStatus, string>> = {
  online: "KernelBot",
  starting: "KernelBot (the runner is starting)",
  on_demand: "KernelBot (a runner is started on demand)",
  paused: "KernelBot (every runner is paused)",
  offline: "KernelBot (no runner is connected)",
};
