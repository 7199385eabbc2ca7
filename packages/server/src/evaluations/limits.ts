/** Limits of evaluations: open ones and those within an hour of an account, and open ones of the server. */
import { formatCount, KernelBotError, quote } from "@kernelbot/core";
import { sql, type Transaction } from "kysely";
import type { Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";

export interface EvaluationLimits {
  /** Maximum number of queued and running evaluations of an account. */
  open: number;
  /** Maximum number of evaluations of an account within an hour, cached ones included. */
  hour: number;
  /** Maximum number of queued and running evaluations of all accounts. */
  queue: number;
}

export const DEFAULT_EVALUATION_LIMITS: EvaluationLimits = { open: 5000, hour: 100_000, queue: 50_000 };

/** Seconds after which a request is worth repeating. */
const RETRY_S = { open: 5, hour: 60, queue: 15 } as const satisfies Record<keyof EvaluationLimits, number>;

/**
 * Parses limits such as `open=1000,hour=20000`; missing ones have their defaults.
 * @throws KernelBotError `bad_request` that quotes the invalid part.
 */
export function parseEvaluationLimits(text: string): EvaluationLimits {
  const limits = { ...DEFAULT_EVALUATION_LIMITS };
  for (const part of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name = "", number] = /^\s*(open|hour|queue)\s*=\s*([1-9]\d{0,8})\s*$/.exec(part) ?? [];
    if (number === undefined) {
      throw new KernelBotError(
        "bad_request",
        `${quote(part)} is not a limit of evaluations; write open, hour or queue, and = with a whole number from 1`,
      );
    }
    limits[name as keyof EvaluationLimits] = Number(number);
  }
  return limits;
}

/**
 * Checks the limits for this many more evaluations. Exact, if the transaction holds the lock of the account.
 * @throws KernelBotError `too_many_requests` with the seconds after which to retry.
 */
export async function requireCapacity(
  transaction: Transaction<Tables>,
  { account }: Identity,
  count: number,
  limits: EvaluationLimits,
): Promise<void> {
  const own = sql`account_id = ${account.id}::text`;
  // Counting stops at the limit.
  const upTo = (where: ReturnType<typeof sql>, limit: number) =>
    sql`(select count(*)::integer from (select from evaluation where ${where} limit ${limit}::bigint) as counted)`;
  const { rows } = await sql<Record<keyof EvaluationLimits, number>>`
    select ${upTo(sql`${own} and state = 'open'`, limits.open)} as open,
      ${upTo(sql`${own} and created_at > clock_timestamp() - interval '1 hour'`, limits.hour)} as hour,
      ${upTo(sql`state = 'open'`, limits.queue)} as queue`.execute(transaction);
  const used = rows[0] ?? { open: 0, hour: 0, queue: 0 };
  const reached = (["open", "hour", "queue"] as const).find((limit) => used[limit] + count > limits[limit]);
  if (reached === undefined) return;
  throw new KernelBotError("too_many_requests", reason(reached, used[reached], count, limits[reached]), {
    retryAfterS: RETRY_S[reached],
  });
}

function reason(limit: keyof EvaluationLimits, used: number, count: number, bound: number): string {
  const requested = formatCount(count, "evaluation");
  const most = bound.toLocaleString("en-US");
  if (limit === "queue") return `the server's queue of evaluations is full (at most ${most}); retry ${requested} later`;
  const what = limit === "open" ? "queued and running evaluations" : "evaluations within an hour";
  return `this account has ${used.toLocaleString("en-US")} of at most ${most} ${what}, so ${requested} must wait`;
}
