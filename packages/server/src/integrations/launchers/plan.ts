/** Plans launches, on one server at a time. Only stores rows; the work on them requests the runners (work.ts). */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import type { LauncherConfig } from "./config.ts";
import { decide } from "./decide.ts";
import { readHistories, readNeeded } from "./needs.ts";

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_133;

/** Stores the launches that are needed now. @returns their number. */
export async function planLaunches(
  { db }: Database,
  launchers: readonly LauncherConfig[],
  now = new Date(),
): Promise<number> {
  return runTransaction(idempotent(db), async (transaction) => {
    const [lock] = (await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as got`.execute(transaction))
      .rows;
    if (lock?.got !== true) return 0;
    const targets = launchers.flatMap((launcher) => [...launcher.targets.keys()]);
    const needed = await readNeeded(transaction, targets);
    if (![...needed.values()].some((count) => count > 0)) return 0;
    const histories = await readHistories(transaction, launchers, now);
    // Each target is served by the first launcher of the configuration that can launch.
    const rows = launchers.flatMap(({ name: launcher, targets }) =>
      Array.from(targets).flatMap(([target, settings]) => {
        const open = needed.get(target) ?? 0;
        const { lifetimesMs } = decide(settings, histories(launcher, target), open, now);
        needed.set(target, open - lifetimesMs.length);
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
  });
}
