import type { RunSummary } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { findQueuePositions } from "./order.ts";

/** Position and expected wait of a queued run, and the runners of its target. */
export type Waiting = { runId: number } & Pick<RunSummary, "queuePosition" | "expectedWaitMs" | "runners">;

/** Returns the queue positions of a submission's queued runs, in the order of the runs. */
export async function listQueuePositions(database: Database, submissionId: number): Promise<Waiting[]> {
  const runs = await database.db
    .selectFrom("run")
    .select(["id", "target", "state"])
    .where("submission_id", "=", submissionId)
    .where("state", "=", "queued")
    .orderBy("id")
    .execute();
  const positions = await findQueuePositions(database, runs);
  return runs.flatMap(({ id }) => {
    const found = positions.get(id);
    if (found === undefined) return [];
    return [{ runId: id, queuePosition: found.position, expectedWaitMs: found.wait, runners: found.runners }];
  });
}
