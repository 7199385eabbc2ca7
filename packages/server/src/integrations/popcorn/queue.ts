/** The queue of a target in the shape of the popcorn client, and the progress of a queued submission. */
import type { Submission } from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { CAN_CLAIM } from "../../runners/presence.ts";
import { formatProgress } from "./terms.ts";

/** Returns the number of runners of a target that are online and accept runs. */
async function onlineRunners({ db }: Database, target: string): Promise<number> {
  const { count } = await db
    .selectFrom("runner")
    .innerJoin("token", "token.id", "runner.token_id")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("runner.target", "=", target)
    .where("token.revoked_at", "is", null)
    .where(CAN_CLAIM)
    .executeTakeFirstOrThrow();
  return count;
}

const noRunner = (target: string): string => `no runner is online for ${target}`;

/**
 * Counts the queued and running runs of a target. The client prints `runner` before the number of queued jobs, so
 * `runner` says where no runner is online.
 */
export async function runnerQueue(database: Database, target: string) {
  const { db } = database;
  const [known, counted, online] = await Promise.all([
    db.selectFrom("board").select("target").where("target", "=", target).limit(1).executeTakeFirst(),
    db
      .selectFrom("run")
      .select([
        sql<number>`count(*) filter (where state = 'queued')::integer`.as("queued"),
        sql<number>`count(*) filter (where state = 'running')::integer`.as("running"),
      ])
      .where("target", "=", target)
      .where("state", "in", ["queued", "running"])
      .executeTakeFirstOrThrow(),
    onlineRunners(database, target),
  ]);
  const none = { queued_jobs: null, running_jobs: null, available_runners: null, status: "unavailable" };
  if (known === undefined) return { runner: "unknown", gpu: target, ...none, error: "unknown gpu" };
  const counts = { queued_jobs: counted.queued, running_jobs: counted.running, available_runners: online };
  return online > 0
    ? { runner: "KernelBot", gpu: target, ...counts, status: "available", error: null }
    : {
        ...{ runner: "KernelBot (no runner is online)", gpu: target, ...counts, status: "unavailable" },
        error: `${noRunner(target)}; queued runs wait until one connects`,
      };
}

/** Describes the progress of a submission, and the targets of its queued runs for which no runner is online. */
export async function progressOf(database: Database, submission: Submission): Promise<string> {
  const targets = [...new Set(submission.runs.filter(({ state }) => state === "queued").map(({ target }) => target))];
  const online = await Promise.all(targets.map((target) => onlineRunners(database, target)));
  const missing = targets.filter((_, index) => online[index] === 0);
  return [formatProgress(submission), ...missing.map(noRunner)].join("; ");
}
