/** The token of a runner that a server starts beside itself: one for each such runner, however often either is started. */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { hashOf, newSecret } from "../people/secret.ts";

/** A holder that is never started again loses its token after this, in days. */
const KEPT_DAYS = 7;
const RENEW_MS = 3_600_000;

export interface LocalToken {
  token: string;
  /** Lets the token expire by itself. */
  readonly release: () => void;
}

/**
 * Gives the token of a local runner a new secret, and makes it where there is none. What was decided about its runner stays: one that was
 * paused is paused. A process that had the secret before has ended with its server, so the next one need not wait for it.
 * @param place Tells servers of one database from each other; empty where the database is the server's own.
 */
export async function takeLocalToken(database: Database, target: string, place: string): Promise<LocalToken> {
  const token = `kb_${newSecret()}`;
  const label = `local runner ${target}`;
  const holder = place === "" ? label : `${label} of ${place}`;
  const [row] = await database.sql<{ id: number }>`
    insert into token (account_id, hash, label, scopes, targets, holder, expires_at)
    values ('operator', ${hashOf(token) as never}, ${label}, '{runner}', array[${target}::text], ${holder},
      clock_timestamp() + ${KEPT_DAYS}::integer * interval '1 day')
    on conflict (holder) where revoked_at is null do update set hash = excluded.hash, expires_at = excluded.expires_at
    returning id`;
  const id = row?.id ?? 0;
  await database.sql`update runner set instance = null where token_id = ${id}`;
  const renewal = setInterval(() => {
    renew(database, id).catch((error: unknown) =>
      database.log(`the token of ${label} was not renewed: ${String(error)}`),
    );
  }, RENEW_MS);
  renewal.unref();
  return { token, release: () => clearInterval(renewal) };
}

async function renew({ db }: Database, id: number): Promise<void> {
  await sql`update token set expires_at = clock_timestamp() + ${KEPT_DAYS}::integer * interval '1 day'
    where id = ${id}::bigint`.execute(db);
}
