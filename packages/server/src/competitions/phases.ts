/** Notifies watchers of boards when a freeze begins or ends, which happens by time and not by a request. */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";

/**
 * Records that freezes and reveals were announced. A trigger on the column (schema/tables/competitions.sql) notifies
 * pages, streams and webhooks of each board. If several servers call this, only one announces.
 */
export async function notifyPhaseChanges({ db }: Database): Promise<void> {
  await sql`update competition set boards_notified_at = now()
      where (boards_notified_at < freeze_at and freeze_at <= now())
        or (freeze_at is not null and boards_notified_at < coalesce(reveal_at, ends_at) and coalesce(reveal_at, ends_at) <= now())`.execute(
    idempotent(db),
  );
}
