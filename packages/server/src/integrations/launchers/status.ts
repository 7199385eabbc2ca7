/** State of launchers and launches, for administrators. */
import { KernelBotError, quote, type Launch, type LauncherList } from "@kernelbot/core";
import { sql, type Kysely } from "kysely";
import type { Database } from "../../db/database.ts";
import { requireRole, type Identity } from "../../auth/identity.ts";
import type { Tables } from "../../db/tables.ts";
import type { LauncherConfig } from "./config.ts";
import { canLaunch, decide } from "./decide.ts";
import { readHistories, readNeeded } from "./needs.ts";
import type { LaunchRow } from "./work.ts";

/** Returns what each launcher would do now for each of its targets, and the latest launches. */
export async function listLaunchers(
  { db }: Database,
  launchers: readonly LauncherConfig[],
  identity: Identity,
  limit: number,
): Promise<LauncherList> {
  requireRole(identity, "administrator");
  const now = new Date();
  const names = launchers.flatMap((launcher) => [...launcher.targets.keys()]);
  const [needed, histories, launches] = await Promise.all([
    readNeeded(db, names),
    readHistories(db, launchers, now),
    launchesOf(db)
      // Open launches come first.
      .orderBy(sql`ended_at is null`, "desc")
      .orderBy("launch.id", "desc")
      .limit(limit)
      .execute(),
  ]);
  return {
    targets: launchers.flatMap(({ name: launcher, kind, targets }) =>
      Array.from(targets, ([target, settings]) => {
        const history = histories(launcher, target);
        const { explanation, onHold } = decide(settings, history, needed.get(target) ?? 0, now);
        const { maxRunners, ratePerHour, budgetPerDay = null, budgetPerMonth = null } = settings;
        const { open, spentToday, spentThisMonth } = history;
        const spent = { spentToday, spentThisMonth, budgetPerDay, budgetPerMonth };
        return { launcher, kind, target, open, maxRunners, ratePerHour, ...spent, explanation, onHold };
      }),
    ),
    launches: launches.map((row) => toLaunch(row, now)),
  };
}

/** Finds the targets for which one of the launchers can start a runner now. */
export async function findLaunchable(
  { db }: Database,
  launchers: readonly LauncherConfig[],
  now = new Date(),
): Promise<ReadonlySet<string>> {
  if (launchers.length === 0) return new Set();
  const histories = await readHistories(db, launchers, now);
  return new Set(
    launchers.flatMap(({ name, targets }) =>
      Array.from(targets)
        .filter(([target, settings]) => canLaunch(settings, histories(name, target), now))
        .map(([target]) => target),
    ),
  );
}

/** Returns a launch. @throws KernelBotError `not_found`. */
export async function readLaunch({ db }: Database, name: string): Promise<Launch> {
  const row = await launchesOf(db).where("name", "=", name).executeTakeFirst();
  if (row === undefined) throw new KernelBotError("not_found", `launch ${quote(name)} does not exist`);
  return toLaunch(row, new Date());
}

function launchesOf(db: Kysely<Tables>) {
  return db
    .selectFrom("launch")
    .leftJoin("token", "token.id", "launch.token_id")
    .selectAll("launch")
    .select("token.revoked_at");
}

function toLaunch(row: LaunchRow & { revoked_at: Date | null }, now: Date): Launch {
  const hours = row.launched_at === null ? 0 : (row.ended_at ?? now).getTime() - row.launched_at.getTime();
  return {
    id: row.id,
    launcher: row.launcher,
    target: row.target,
    name: row.name,
    state: row.state,
    ending: row.ended_at === null && row.revoked_at !== null,
    externalId: row.external_id,
    createdAt: row.created_at.toISOString(),
    joinedAt: row.joined_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    endsBy: row.ends_by.toISOString(),
    cost: (row.rate_per_hour * hours) / 3_600_000,
    error: row.error,
    retryAt: row.retry_at?.toISOString() ?? null,
  };
}
