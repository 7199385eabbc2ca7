/**
 * Leases of rows: one server works on a row at a time, until `held_until`; then another server may claim it. Each claim
 * increments `holds`, a fencing token that invalidates writes of earlier holders, and `tries`, which success resets. If
 * `tries` is above 1, the previous holder may have done any part of the work.
 */
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { storableText } from "../../db/json.ts";
import { idempotent } from "../../db/idempotent.ts";
import { DiscordTrouble } from "./trouble.ts";

/** Duration of a lease, much longer than one step of the work. */
export const HOLD_MS = 120_000;
/** Maximum number of tries, which take about 17 hours. */
const MAX_TRIES = 100;

type Table = "discord_submission" | "discord_message" | "discord_post";

export interface HeldRow {
  id: number;
  holds: number;
  tries: number;
}

/** Returns the columns that a claim sets. */
export function holding(now: Date) {
  return {
    held_until: new Date(now.getTime() + HOLD_MS),
    holds: sql<number>`holds + 1`,
    tries: sql<number>`tries + 1`,
  };
}

/** Releases a row after its work; it is due again at `dueAt`. */
export async function release({ db }: Database, table: Table, { id, holds }: HeldRow, dueAt: Date): Promise<void> {
  await sql`update ${sql.table(table)} set held_until = null, tries = 0, error = null, due_at = ${dueAt}
      where id = ${id} and holds = ${holds}`.execute(idempotent(db));
}

/**
 * Schedules a retry.
 * @returns false when a retry is useless, because Discord refuses the request or the maximum number of tries is
 * reached.
 */
export async function postpone(
  { db, log }: Database,
  table: Table,
  { id, holds, tries }: HeldRow,
  trouble: unknown,
  now: Date,
): Promise<boolean> {
  const { kind, waitMs } = trouble instanceof DiscordTrouble ? trouble : { kind: "later" as const, waitMs: 0 };
  const isOver = kind !== "later" || tries >= MAX_TRIES;
  const error = storableText(trouble instanceof Error ? trouble.message : String(trouble)).slice(0, 1000);
  log(`Discord, ${table} ${id}: ${isOver ? "given up" : "will be tried again"}: ${error}`);
  const due = new Date(now.getTime() + Math.max(waitMs, retryMs(tries)));
  await sql`update ${sql.table(table)} set held_until = null, error = ${error}, due_at = ${due}
      where id = ${id} and holds = ${holds}`.execute(idempotent(db));
  return !isOver;
}

/** Returns the delay after the nth failed try: 2 s, 4 s, 8 s, … up to 15 min, with jitter. */
function retryMs(tries: number): number {
  return Math.min(2000 * 2 ** (tries - 1), 900_000) * (0.5 + Math.random() / 2);
}
