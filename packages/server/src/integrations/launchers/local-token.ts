/**
 * Tokens of local runners that a server starts itself: one per server and target, kept across restarts.
 */
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { hashOf, newSecret } from "../../auth/secret.ts";

/** Days after which the token of a server that is not restarted expires. */
const KEPT_DAYS = 7;
const RENEW_MS = 3_600_000;

interface LocalToken {
  token: string;
  /** Stops renewing the token, so that it expires. */
  readonly release: () => void;
}

/**
 * Creates the token of a local runner, or replaces its secret. The runner keeps its state: a paused runner stays
 * paused. The process with the previous secret has ended with its server, so the runner's instance is cleared and the
 * next process can start at once.
 * @param place Distinguishes servers that share a database; empty for the embedded database.
 */
export async function createLocalToken(database: Database, target: string, place: string): Promise<LocalToken> {
  const token = `kb_${newSecret()}`;
  const label = `local runner ${target}`;
  const holder = place === "" ? label : `${label} of ${place}`;
  const [row] = await database.sql<{ id: number }>`
    insert into token (account_id, hash, label, scopes, targets, local_runner, expires_at)
    values ('operator', ${hashOf(token) as never}, ${label}, '{runner}', array[${target}::text], ${holder},
      clock_timestamp() + ${KEPT_DAYS}::integer * interval '1 day')
    on conflict (local_runner) where revoked_at is null do update set hash = excluded.hash, expires_at = excluded.expires_at
    returning id`;
  const id = row?.id ?? 0;
  await database.sql`update runner set instance = null where token_id = ${id}`;
  const renewal = setInterval(() => {
    renew(database, id).catch((error: unknown) =>
      database.log(`renewing the token of ${label} failed: ${String(error)}`),
    );
  }, RENEW_MS);
  renewal.unref();
  return { token, release: () => clearInterval(renewal) };
}

async function renew({ db }: Database, id: number): Promise<void> {
  await sql`update token set expires_at = clock_timestamp() + ${KEPT_DAYS}::integer * interval '1 day'
    where id = ${id}::bigint`.execute(db);
}
