/** Usage of a board's submission limits by an account. The counting rules are in schema/functions/allowances.sql. */
import { sql } from "kysely";
import {
  formatAllowance,
  KernelBotError,
  MODES,
  rateLimitFields,
  secondsUntil,
  type Allowance,
  type Mode,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/** Row of the SQL function `allowances`, selected directly or as JSON. */
export interface AllowanceRow {
  quantity: Allowance["quantity"];
  competition: string | null;
  problem: string | null;
  bound: number;
  used: number;
  next_at: Date | string | null;
}

/** Returns the limits of a board for an account and how much of each is used, in the order of `modes`. */
export async function readAllowances(
  { db }: Database,
  accountId: string,
  board: string,
  modes: readonly Mode[] = MODES,
): Promise<Allowance[]> {
  const { rows } = await sql<AllowanceRow & { mode: Mode }>`
      select m.mode, a.* from unnest(${modes}::text[]) with ordinality as m (mode, place),
        allowances(${accountId}, ${board}, m.mode, clock_timestamp()) a
      order by m.place, a.quantity desc`.execute(db);
  return rows.map((row) => toAllowance(row, row));
}

export function toAllowance({ mode }: { mode: Mode }, row: AllowanceRow): Allowance {
  const { quantity, competition, problem, bound, used, next_at } = row;
  const nextAt = next_at === null ? null : new Date(next_at).toISOString();
  return { mode, quantity, bound, competition, board: problem, used, nextAt };
}

/**
 * Returns the allowance after one more accepted submission. `nextAt` is not updated; it has to be read from the
 * database.
 */
export function allowanceAfter(allowance: Allowance, { targets }: { targets: readonly string[] }): Allowance {
  const more = { per_hour: 1, concurrent: targets.length, gpu_seconds_per_day: 0 }[allowance.quantity];
  return { ...allowance, used: allowance.used + more };
}

/** Returns the RateLimit headers that state the allowances; none if there are no limits. */
export function rateLimitHeaders(allowances: readonly Allowance[], now: Date): Record<string, string> {
  if (allowances.length === 0) return {};
  const { policy, limit } = rateLimitFields(allowances, now);
  return { "ratelimit-policy": policy, ratelimit: limit };
}

/** Error for a submission that exceeds a limit. Carries all limits of the board in the submission's mode. */
export class LimitReached extends KernelBotError {
  readonly allowances: readonly Allowance[];

  constructor(board: string, targets: readonly string[], allowances: readonly Allowance[], now: Date) {
    const exhausted = allowances.filter((allowance) => isReached(allowance, targets));
    const waits = exhausted.map(({ nextAt }) => (nextAt === null ? ASK_AGAIN_S : secondsUntil(nextAt, now)));
    super("too_many_requests", exhausted.map((allowance) => limitMessage(board, targets, allowance)).join("; "), {
      retryAfterS: Math.max(1, ...waits),
      headers: rateLimitHeaders(allowances, now),
    });
    this.name = "LimitReached";
    this.allowances = allowances;
  }
}

/** Retry delay in seconds if a limit is freed by the end of a run, whose time is unknown. */
const ASK_AGAIN_S = 10;

export function isReached({ quantity, used, bound }: Allowance, targets: readonly string[]): boolean {
  return used >= bound || (quantity === "concurrent" && used + targets.length > bound);
}

function limitMessage(board: string, targets: readonly string[], allowance: Allowance): string {
  const place = allowance.competition ?? allowance.board ?? `the server of ${board}`;
  const needed =
    allowance.quantity === "concurrent" && targets.length > 1 ? ` (this submission needs ${targets.length})` : "";
  return `${place}: ${formatAllowance(allowance)}${needed}`;
}
