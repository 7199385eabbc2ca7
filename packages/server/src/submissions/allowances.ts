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

/** Row of the SQL function `allowances`. */
interface AllowanceRow {
  quantity: Allowance["quantity"];
  competition: string | null;
  problem: string | null;
  bound: number;
  used: number;
  next_at: Date | null;
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
  return rows.map(({ problem, next_at, ...row }) => ({
    ...row,
    board: problem,
    nextAt: next_at?.toISOString() ?? null,
  }));
}

/** Returns the RateLimit headers that state the allowances; none if there are no limits. */
export function rateLimitHeaders(allowances: readonly Allowance[], now: Date): Record<string, string> {
  if (allowances.length === 0) return {};
  const { policy, limit } = rateLimitFields(allowances, now);
  return { "ratelimit-policy": policy, ratelimit: limit };
}

/**
 * Error for a submission that exceeds a limit: `conflict` if a limit of 0 closes the mode, so that no client tries again,
 * otherwise `too_many_requests`. Carries all limits of the board in the submission's mode.
 */
export class LimitReached extends KernelBotError {
  readonly allowances: readonly Allowance[];

  constructor(board: string, targets: readonly string[], allowances: readonly Allowance[], now: Date) {
    const exhausted = allowances.filter((allowance) => isReached(allowance, targets));
    const closed = exhausted.find(({ bound }) => bound === 0);
    const waits = exhausted.map(({ nextAt }) => (nextAt === null ? ASK_AGAIN_S : secondsUntil(nextAt, now)));
    const named = closed === undefined ? exhausted : [closed];
    super(
      closed === undefined ? "too_many_requests" : "conflict",
      named.map((allowance) => limitMessage(board, targets, allowance)).join("; "),
      {
        headers: rateLimitHeaders(allowances, now),
        ...(closed === undefined && { retryAfterS: Math.max(1, ...waits) }),
      },
    );
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
    allowance.quantity === "concurrent" && allowance.bound > 0 && targets.length > 1
      ? ` (this submission needs ${targets.length})`
      : "";
  return `${place}: ${formatAllowance(allowance)}${needed}`;
}
