import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { QUEUE_POSITION } from "../runs/summary.ts";

/** The places in the queue of a submission's runs that wait, in the order of the runs. */
export async function readPlaces({ db }: Database, submissionId: number): Promise<number[]> {
  const rows = await retrying(() =>
    db
      .selectFrom("run")
      .select(QUEUE_POSITION)
      .where("submission_id", "=", submissionId)
      .where("state", "=", "queued")
      .orderBy("id")
      .execute(),
  );
  return rows.flatMap((row) => row.queue_position ?? []);
}
