/** Rate limits for actions that are open to every client, such as signing in, so that they cannot fill the database. */
import { sql } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

export interface Limit {
  /** Number of attempts per window. */
  times: number;
  windowS: number;
  /** Description of the action, as the end of a sentence: `to sign in`. */
  what: string;
}

/**
 * Counts an attempt. The counter is in the database, so that the limit applies to all servers together.
 * @param kind Kind of action. @param who Account, or network of origin.
 * @throws KernelBotError `too_many_requests` if the limit of the window is reached.
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

/**
 * Returns the network of an address: IPv4 addresses as they are, IPv6 as /64, because one customer usually has 2^64
 * addresses.
 */
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
