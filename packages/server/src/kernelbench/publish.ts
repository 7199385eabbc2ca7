import { KernelBotError, type KernelBenchEntrySummary } from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { readSummary } from "./entries.ts";
import { changeOwn } from "./ownership.ts";

/**
 * Publishes an entry with the sources of its kernels, permanently. A published entry stays unchanged.
 * @throws KernelBotError as `changeOwn`; `conflict` when kernels are waiting, queued or running.
 */
export async function publishEntry(
  database: Database,
  identity: Identity,
  id: number,
): Promise<KernelBenchEntrySummary> {
  await changeOwn(database, identity, id, "publish", async (transaction) => {
    const { rows } = await sql<{ open: number }>`
      select count(*)::integer as open from kernelbench_kernel k
      join kernelbench_entry e on e.id = k.entry_id and e.published_at is null
      left join run r on r.submission_id = k.submission_id and r.rerun = 0
      where k.entry_id = ${id}
        and (r.state in ('queued', 'running') or (k.submission_id is null and e.stopped_at is null))`.execute(
      transaction,
    );
    const open = rows[0]?.open ?? 0;
    if (open > 0) {
      throw new KernelBotError(
        "conflict",
        `entry ${id} has ${open} unfinished kernels; wait for them or stop the entry`,
      );
    }
    await transaction
      .updateTable("kernelbench_entry")
      .set({ published_at: sql<Date>`coalesce(published_at, clock_timestamp())` })
      .where("id", "=", id)
      .execute();
  });
  return readSummary(database, identity, id);
}
