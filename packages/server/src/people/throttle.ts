/** Limits for what anybody may ask, whoever it is: such rows are never written without a bound. */
import { sql } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

export interface Limit {
  /** Times in a window. */
  times: number;
  windowS: number;
  /** What is refused, as the end of a sentence: `to sign in`. */
  what: string;
}

/**
 * Counts a try, in the database, so that the limit is one for all servers.
 * @param kind What is tried. @param who By whom: an account, or the network that it comes from.
 * @throws KernelBotError `too_many_requests` where there were too many in this window.
 */
export async function throttle({ db }: Database, kind: string, who: string, limit: Limit): Promise<void> {
  const over = sql<boolean>`throttle.since < now() - make_interval(secs => ${limit.windowS})`;
  const counted = await db
    .insertInto("throttle")
    .values({ kind, who })
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "who"])
        .doUpdateSet({
          since: sql`case when ${over} then now() else throttle.since end`,
          count: sql`case when ${over} then 1 else throttle.count + 1 end`,
        })
        .where((row) => row.or([over, row("throttle.count", "<", limit.times)])),
    )
    .returning("count")
    .executeTakeFirst();
  if (counted !== undefined) return;
  throw new KernelBotError(
    "too_many_requests",
    `too many tries ${limit.what}; wait ${Math.ceil(limit.windowS / 60)} minutes`,
    { retryAfterS: limit.windowS },
  );
}

/** The network of an address: an IPv6 customer has 2^64 addresses, which are one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0");
  return `${[...groups, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}
