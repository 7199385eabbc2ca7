/**
 * Rows that one server works on at a time. It holds one until `held_until`; where it dies, another takes over then. Each
 * claim raises `holds`, by which the word of one that was taken over counts for nothing, and `tries`, which what succeeds
 * sets back: of a row with more than one try it is not known what its last holder still did.
 */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import { DiscordTrouble } from "./trouble.ts";

/** Well beyond what one step of the work takes. */
export const HOLD_MS = 120_000;
/** About a day of tries. */
const MAX_TRIES = 100;

type Table = "discord_submission" | "discord_message" | "discord_post";

export interface HeldRow {
  id: number;
  holds: number;
  tries: number;
}

/** SQL: what a claim sets. */
export function holding(now: Date) {
  return {
    held_until: new Date(now.getTime() + HOLD_MS),
    holds: sql<number>`holds + 1`,
    tries: sql<number>`tries + 1`,
  };
}

/** Lets go of a row after its work; it is due again at a time. */
export async function release({ db }: Database, table: Table, { id, holds }: HeldRow, dueAt: Date): Promise<void> {
  await retrying(() =>
    sql`update ${sql.table(table)} set held_until = null, tries = 0, error = null, due_at = ${dueAt}
      where id = ${id} and holds = ${holds}`.execute(db),
  );
}

/**
 * Has a row tried again later.
 * @returns false where that is no use: Discord refuses it, or has been away for too long.
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
  await retrying(() =>
    sql`update ${sql.table(table)} set held_until = null, error = ${error}, due_at = ${due}
      where id = ${id} and holds = ${holds}`.execute(db),
  );
  return !isOver;
}

/** After the nth try failed: about 2 s, 4 s, 8 s, and at last every 15 min; jitter keeps those apart that failed together. */
function retryMs(tries: number): number {
  return Math.min(2000 * 2 ** (tries - 1), 900_000) * (0.5 + Math.random() / 2);
}
