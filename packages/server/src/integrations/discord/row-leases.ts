/**
 * Leases of rows: one server works on a row at a time, until `lease_until`; then another server may claim it. Each claim
 * increments `lease_number`, a fencing token that invalidates writes of earlier lease holders, and `tries`, which success resets. If
 * `tries` is above 1, the previous holder may have done any part of the work.
 */
import { sql, type Selectable } from "kysely";
import type { Database } from "../../db/database.ts";
import { storableText } from "../../db/json.ts";
import { idempotent } from "../../db/idempotent.ts";
import type { Tables } from "../../db/tables.ts";
import { backoffMs } from "../../jobs/backoff.ts";
import { leaseDue, type LeaseRequest } from "../../jobs/lease.ts";
import { DiscordError } from "./discord-error.ts";

/** Duration of a lease, much longer than one step of the work. */
export const LEASE_MS = 120_000;
/** Maximum number of tries, which take about 17 hours. */
const MAX_TRIES = 100;
const BACKOFF = { firstMs: 2000, maxMs: 900_000 };

type Table = "discord_submission" | "discord_message" | "discord_post";

interface LeasedRow {
  id: number;
  lease_number: number;
  tries: number;
}

/** Leases the first row that is due and meets a condition on `due`. */
export async function claimRow<Name extends Table>(
  { db }: Database,
  table: Name,
  now: Date,
  { where, orderBy }: Pick<LeaseRequest, "where" | "orderBy">,
): Promise<Selectable<Tables[Name]> | undefined> {
  const set = sql`, lease_number = lease_number + 1, tries = tries + 1`;
  const [row] = await leaseDue(db, table, { now, leaseMs: LEASE_MS, set, where, orderBy });
  return row;
}

/** Releases a row after its work; it is due again at `dueAt`. */
export async function release(
  { db }: Database,
  table: Table,
  { id, lease_number }: LeasedRow,
  dueAt: Date,
): Promise<void> {
  await sql`update ${sql.table(table)} set lease_until = null, tries = 0, error = null, due_at = ${dueAt}
      where id = ${id} and lease_number = ${lease_number}`.execute(idempotent(db));
}

/**
 * Schedules a retry.
 * @returns false when a retry is useless, because Discord refuses the request or the maximum number of tries is
 * reached.
 */
export async function postpone(
  { db, log }: Database,
  table: Table,
  { id, lease_number, tries }: LeasedRow,
  trouble: unknown,
  now: Date,
): Promise<boolean> {
  const { kind, waitMs } = trouble instanceof DiscordError ? trouble : { kind: "temporary" as const, waitMs: 0 };
  const isOver = kind !== "temporary" || tries >= MAX_TRIES;
  const error = storableText(trouble instanceof Error ? trouble.message : String(trouble)).slice(0, 1000);
  log(`Discord: ${table} ${id} failed, ${isOver ? "giving up" : "retrying"}: ${error}`);
  const due = new Date(now.getTime() + Math.max(waitMs, backoffMs(BACKOFF, tries)));
  await sql`update ${sql.table(table)} set lease_until = null, error = ${error}, due_at = ${due}
      where id = ${id} and lease_number = ${lease_number}`.execute(idempotent(db));
  return !isOver;
}
