/** What is left to an account of the limits of a board. How it is counted is defined in schema/functions/allowances.sql. */
import { sql } from "kysely";
import { allowanceText, KernelBotError, MODES, secondsUntil, type Allowance, type Mode } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/** A row of `allowances`, alone or as JSON. */
export interface AllowanceRow {
  quantity: Allowance["quantity"];
  competition: string | null;
  problem: string | null;
  bound: number;
  used: number;
  next_at: Date | string | null;
}

/** Of a board in these modes, in their order. */
export async function readAllowances(
  { db }: Database,
  accountId: string,
  board: string,
  modes: readonly Mode[] = MODES,
): Promise<Allowance[]> {
  const { rows } = await retrying(() =>
    sql<AllowanceRow & { mode: Mode }>`
      select m.mode, a.* from unnest(${modes}::text[]) with ordinality as m (mode, place),
        allowances(${accountId}, ${board}, m.mode, clock_timestamp()) a
      order by m.place, a.quantity desc`.execute(db),
  );
  return rows.map((row) => toAllowance(row, row));
}

export function toAllowance({ mode }: { mode: Mode }, row: AllowanceRow): Allowance {
  const { quantity, competition, problem, bound, used, next_at } = row;
  const nextAt = next_at === null ? null : new Date(next_at).toISOString();
  return { mode, quantity, bound, competition, board: problem, used, nextAt };
}

/** The same once a submission is accepted. When the next is taken is not told: for that it must be read. */
export function afterwards(allowance: Allowance, { targets }: { targets: readonly string[] }): Allowance {
  const more = { per_hour: 1, concurrent: targets.length, gpu_seconds_per_day: 0 }[allowance.quantity];
  return { ...allowance, used: allowance.used + more };
}

/** A submission that is one too many, with all limits of the board in its mode. */
export class LimitReached extends KernelBotError {
  readonly allowances: readonly Allowance[];

  constructor(board: string, targets: readonly string[], allowances: readonly Allowance[], now: Date) {
    const reached = allowances.filter((allowance) => isReached(allowance, targets));
    const waits = reached.map(({ nextAt }) => (nextAt === null ? ASK_AGAIN_S : secondsUntil(nextAt, now)));
    super("too_many_requests", reached.map((allowance) => sentence(board, targets, allowance)).join("; "), {
      retryAfterS: Math.max(1, ...waits),
    });
    this.name = "LimitReached";
    this.allowances = allowances;
  }
}

/** Seconds after which to ask again where nobody knows when a run ends. */
const ASK_AGAIN_S = 10;

export function isReached({ quantity, used, bound }: Allowance, targets: readonly string[]): boolean {
  return used >= bound || (quantity === "concurrent" && used + targets.length > bound);
}

function sentence(board: string, targets: readonly string[], allowance: Allowance): string {
  const place = allowance.competition ?? allowance.board ?? `the server of ${board}`;
  const asked =
    allowance.quantity === "concurrent" && targets.length > 1 ? ` (this one asks for ${targets.length} at once)` : "";
  return `${place}: ${allowanceText(allowance)}${asked}`;
}
