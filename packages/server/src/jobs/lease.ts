/**
 * Leases of rows of work: one server works on a row at a time, until `lease_until`. If the server ends, another one leases
 * the row then and repeats the unfinished steps, which must therefore be idempotent.
 */
import { sql, type Kysely, type RawBuilder, type Selectable } from "kysely";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";

/** Tables whose rows are leased when they are due: those with these columns. */
type LeasedTable = {
  [Name in keyof Tables]: Tables[Name] extends { id: unknown; due_at: unknown; lease_until: unknown } ? Name : never;
}[keyof Tables];

export interface LeaseRequest {
  now: Date;
  /** Duration of the lease, much longer than one step of the work takes. */
  leaseMs: number;
  /** Further condition on a row, named `due`. */
  where?: RawBuilder<boolean> | undefined;
  orderBy?: "due_at" | "id" | undefined;
  /** Maximum number of rows. */
  limit?: number;
  /** Further columns to set, such as a fencing token. */
  set?: RawBuilder<unknown>;
}

/** Leases the rows that are due and not leased, skipping those that another server is leasing at this moment. */
export async function leaseDue<Table extends LeasedTable>(
  db: Kysely<Tables>,
  table: Table,
  { now, leaseMs, where = sql`true`, orderBy = "due_at", limit = 1, set = sql`` }: LeaseRequest,
): Promise<Selectable<Tables[Table]>[]> {
  // `any(array(...))` evaluates the subquery once; `in (...)` may evaluate it again and lock more rows than the limit.
  const { rows } = await sql<Selectable<Tables[Table]>>`
    update ${sql.table(table)} set lease_until = ${new Date(now.getTime() + leaseMs)} ${set}
    where id = any(array(
      select due.id from ${sql.table(table)} as due
      where due.due_at < ${endOf(now)} and (due.lease_until is null or due.lease_until <= ${now}) and ${where}
      order by ${sql.ref(`due.${orderBy}`)} limit ${limit} for update of due skip locked))
    returning *`.execute(idempotent(db));
  return rows;
}

/**
 * Returns the end of a millisecond. The database stores microseconds, JavaScript milliseconds: a row that was made due
 * just before `now` is due before this time, and not always before `now`.
 */
export function endOf(now: Date): Date {
  return new Date(now.getTime() + 1);
}
