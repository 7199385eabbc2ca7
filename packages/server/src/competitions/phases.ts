/** Tells those who watch boards that they froze, or were revealed: dates come without anybody doing anything. */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/**
 * The columns that are written here are watched by a trigger (see schema/tables/competitions.sql), so that pages, streams and
 * webhooks hear of each board. Of several servers one tells.
 */
export async function tellPhases({ db }: Database): Promise<void> {
  await retrying(() =>
    sql`update competition set told_at = now()
      where (told_at < freeze_at and freeze_at <= now())
        or (freeze_at is not null and told_at < coalesce(reveal_at, ends_at) and coalesce(reveal_at, ends_at) <= now())`.execute(
      db,
    ),
  );
}
