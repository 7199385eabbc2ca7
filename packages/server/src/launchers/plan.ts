/**
 * Notes the launches that are wanted, by one server at a time. A note is all that is made here: whoever works off launches
 * asks the service (work.ts).
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import type { LauncherConfig } from "./config.ts";
import { decide } from "./decide.ts";
import { readHistories, readWanted } from "./needs.ts";

/** Any number that no one else locks. */
const LOCK = 7_236_133;

/** @returns how many launches were noted. */
export async function planLaunches(
  { db }: Database,
  launchers: readonly LauncherConfig[],
  now = new Date(),
): Promise<number> {
  return retrying(() =>
    db.transaction().execute(async (transaction) => {
      const [lock] = (
        await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as got`.execute(transaction)
      ).rows;
      if (lock?.got !== true) return 0;
      const targets = launchers.flatMap((launcher) => [...launcher.targets.keys()]);
      const wanted = await readWanted(transaction, targets);
      if (![...wanted.values()].some((count) => count > 0)) return 0;
      const histories = await readHistories(transaction, launchers, now);
      // The first launcher of the configuration that has room serves a target.
      const rows = launchers.flatMap(({ name: launcher, targets }) =>
        Array.from(targets).flatMap(([target, settings]) => {
          const open = wanted.get(target) ?? 0;
          const { lifetimesMs } = decide(settings, histories(launcher, target), open, now);
          wanted.set(target, open - lifetimesMs.length);
          return lifetimesMs.map((lifetimeMs) => ({
            launcher,
            target,
            name: `kernelbot-${randomBytes(6).toString("hex")}`,
            created_at: now,
            due_at: now,
            ends_by: new Date(now.getTime() + lifetimeMs),
            rate_per_hour: settings.ratePerHour,
          }));
        }),
      );
      if (rows.length > 0) await transaction.insertInto("launch").values(rows).execute();
      return rows.length;
    }),
  );
}
