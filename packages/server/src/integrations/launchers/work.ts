/**
 * Processes launches, each on one server at a time. A server leases a launch until `lease_until`; if the server ends,
 * another one claims it then. A request whose outcome is unknown is first looked up at the service, so that nothing is
 * launched twice or lost.
 */
import { sql, type Kysely, type Selectable } from "kysely";
import type { Database } from "../../db/database.ts";
import { storableText } from "../../db/json.ts";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { backoffMs } from "../../jobs/backoff.ts";
import { leaseDue } from "../../jobs/lease.ts";
import { openWorkers, type Workers } from "../../jobs/workers.ts";
import { insertToken, revokeToken } from "../../auth/tokens.ts";
import { isRunnerThere } from "../../runners/presence.ts";
import type { LauncherConfig } from "./config.ts";
import { LAUNCH_BACKOFF } from "./decide.ts";
import { Refused, type Launcher, type LaunchRequest, type LaunchStatus } from "./launcher.ts";
import { TargetSettings } from "./settings.ts";

export type LaunchRow = Selectable<Tables["launch"]>;
/** Fields that the work on a launch may change. */
type Change = Partial<Omit<LaunchRow, "id">>;

export interface Tools {
  database: Database;
  launchers: ReadonlyMap<string, { config: LauncherConfig; launcher: Launcher }>;
  /** Base URL of this server, for the runners. */
  server: string;
  signal: AbortSignal;
  clock: () => Date;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** Duration of a lease, much longer than one step of the work. */
const LEASE_MS = 5 * MINUTE_MS;
/** Timeout of requests to a service. */
const ANSWER_MS = 2 * MINUTE_MS;
/** Time after which a service must list a launch that it accepted. */
const SETTLE_MS = 90 * SECOND_MS;
/** How long the outcome of a request is looked up while the service is unavailable. */
const AWAY_MS = 10 * MINUTE_MS;
/** Maximum duration of a run. */
const LONGEST_RUN_MS = 60 * MINUTE_MS;
/** How long an idle runner may take to end after its time. */
const LEAVE_MS = 5 * MINUTE_MS;
/** Intervals at which a launch is checked: before its runner has joined, after that, and after an error. */
const COMING_MS = 3 * SECOND_MS;
const THERE_MS = 15 * SECOND_MS;
const TROUBLE_MS = 15 * SECOND_MS;
/** Number of launches that one server processes concurrently. */
const AT_ONCE = 8;

/** Opens the workers that process due launches, several at a time, so that a slow service does not block others. */
export function openLaunchWorkers(tools: Tools): Workers {
  return openWorkers({
    name: "launch processing",
    slots: AT_ONCE,
    slowMs: LEASE_MS,
    claim: () => claimLaunch(tools),
    work: (launch) => processLaunch(tools, launch),
    signal: tools.signal,
    log: tools.database.log,
  });
}

async function claimLaunch({ database, launchers, clock }: Tools): Promise<LaunchRow | undefined> {
  const [launch] = await leaseDue(database.db, "launch", {
    now: clock(),
    leaseMs: LEASE_MS,
    where: sql`due.ended_at is null and due.launcher = any(${[...launchers.keys()]}::text[])`,
  });
  return launch;
}

/** Does one step. Never throws: errors are stored with the launch, or logged when that fails. */
async function processLaunch(tools: Tools, launch: LaunchRow): Promise<void> {
  try {
    await advanceLaunch(tools, launch);
  } catch (error) {
    // After a shutdown the next server continues immediately.
    const recorded = tools.signal.aborted
      ? release(tools, launch, 0)
      : release(tools, launch, TROUBLE_MS, messageOf(error));
    await recorded.catch(() =>
      tools.database.log(`processing launch ${launch.name} failed, retrying: ${messageOf(error)}`),
    );
  }
}

async function advanceLaunch(tools: Tools, launch: LaunchRow): Promise<void> {
  // A launch whose request may have succeeded must be looked up before it can be ended.
  const isKnown = launch.requested_at === null || launch.external_id !== null;
  if (isKnown && (await isEnded(tools.database.db, launch))) await cancelLaunch(tools, launch);
  else if (launch.state === "joined") await checkJoined(tools, launch);
  else if (launch.state === "launched") await awaitRunner(tools, launch);
  else if (launch.requested_at === null) await requestLaunch(tools, launch);
  else await findLostLaunch(tools, launch, launch.requested_at);
}

/** Returns whether the launch was ended early, by revoking its token. */
export async function isEnded(db: Kysely<Tables>, { token_id }: Pick<LaunchRow, "token_id">): Promise<boolean> {
  if (token_id === null) return false;
  const token = await db.selectFrom("token").select("revoked_at").where("id", "=", token_id).executeTakeFirstOrThrow();
  return token.revoked_at !== null;
}

async function cancelLaunch(tools: Tools, launch: LaunchRow): Promise<void> {
  const { launcher } = launcherOf(tools, launch);
  if (launch.external_id !== null) await launcher.cancel(launch.external_id, requestSignal(tools));
  const error = "ended by an administrator";
  // The runner may have joined without having been recorded yet.
  const wasThere = launch.state === "joined" || (await runnerOf(tools, launch))?.refused === null;
  if (wasThere) await finishLaunch(tools, launch, error);
  else await failLaunch(tools, launch, error);
}

/** Requests the runner; done once per launch. */
async function requestLaunch(tools: Tools, launch: LaunchRow): Promise<void> {
  const { launcher, settings } = launcherOf(tools, launch);
  const now = tools.clock();
  const { made: token, isOff } = await runTransaction(tools.database.db, async (transaction) => {
    const made = launcher.usesProof ? null : await insertToken(transaction, tokenFor(launch));
    const set = { requested_at: now, token_id: made?.id ?? null };
    const { numUpdatedRows } = await transaction
      .updateTable("launch")
      .set(set)
      .where("id", "=", launch.id)
      .where("token_id", "is", null)
      .executeTakeFirst();
    // A token was set meanwhile because the launch was ended.
    return { made, isOff: numUpdatedRows === 0n };
  });
  if (isOff) return release(tools, launch, 0);
  const order: LaunchRequest = {
    name: launch.name,
    target: launch.target,
    server: tools.server,
    token: token?.token ?? null,
    idleS: settings.idleSeconds,
    endsBy: launch.ends_by,
    hardLimitS: Math.ceil((launch.ends_by.getTime() + LONGEST_RUN_MS - now.getTime()) / SECOND_MS),
  };
  try {
    await markLaunched(tools, launch, await launcher.launch(order, requestSignal(tools)));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await failLaunch(tools, { ...launch, token_id: token?.id ?? null }, error.message);
  }
}

/**
 * Returns the token of a launch's runner. Revoked at the end of the launch; expires after the latest time at which the
 * runner must end.
 */
export function tokenFor(launch: Pick<LaunchRow, "launcher" | "target" | "name" | "ends_by">) {
  return {
    accountId: "operator",
    label: `${launch.launcher}: ${launch.name}`,
    scopes: ["runner"],
    targets: [launch.target],
    runners: 1,
    expiresAt: new Date(launch.ends_by.getTime() + 2 * LONGEST_RUN_MS),
  } as const;
}

/** Looks up a launch whose request has an unknown outcome. */
async function findLostLaunch(tools: Tools, launch: LaunchRow, askedAt: Date): Promise<void> {
  const { launcher } = launcherOf(tools, launch);
  const sinceMs = tools.clock().getTime() - askedAt.getTime();
  let found: string | null;
  try {
    found = await launcher.find(launch.name, askedAt, requestSignal(tools));
  } catch (error) {
    // If a runner was started after all, its token is revoked with the launch.
    if (tools.signal.aborted || sinceMs < AWAY_MS) throw error;
    return failLaunch(tools, launch, `the outcome of the request is unknown: ${messageOf(error)}`);
  }
  if (found !== null) return markLaunched(tools, launch, found);
  if (sinceMs < SETTLE_MS) return release(tools, launch, TROUBLE_MS);
  await failLaunch(tools, launch, launch.error ?? "the server stopped during the request, and no runner was launched");
}

async function markLaunched(tools: Tools, launch: LaunchRow, externalId: string): Promise<void> {
  const now = tools.clock();
  await update(tools, launch, {
    state: "launched",
    external_id: externalId,
    launched_at: now,
    error: null,
    due_at: new Date(now.getTime() + COMING_MS),
  });
}

/** Handles a launch that the service accepted and whose runner has not joined yet. */
async function awaitRunner(tools: Tools, launch: LaunchRow): Promise<void> {
  const now = tools.clock();
  const runner = await runnerOf(tools, launch);
  const { launcher, settings } = launcherOf(tools, launch);
  if (runner?.refused === null) {
    const due_at = new Date(now.getTime() + THERE_MS);
    return update(tools, launch, { state: "joined", joined_at: runner.first_seen_at, error: null, due_at });
  }
  if (runner !== undefined) {
    await launcher.cancel(launch.external_id ?? "", requestSignal(tools));
    return failLaunch(tools, launch, `the runner was refused: ${runner.refused}`);
  }
  const status = await readStatus(tools, launch);
  if (status instanceof Error || status.state !== "ended") {
    const detail = status instanceof Error ? status.message : status.detail;
    const isQueued = !(status instanceof Error) && status.state === "queued";
    // The time in the service's queue neither counts nor costs; a runner that starts after its last claim is useless.
    const launched_at = isQueued || launch.launched_at === null ? now : launch.launched_at;
    const joinBy = new Date(launched_at.getTime() + settings.joinMinutes * MINUTE_MS);
    if (now < (isQueued ? launch.ends_by : joinBy)) {
      const due_at = new Date(now.getTime() + COMING_MS);
      return update(tools, launch, { launched_at, due_at, error: detail ?? null });
    }
    await launcher.cancel(launch.external_id ?? "", requestSignal(tools));
    const why = isQueued ? "no machine was free in time" : `no runner connected within ${settings.joinMinutes} min`;
    return failLaunch(tools, launch, `${why}${detail ? `: ${detail}` : ""}`);
  }
  // The runner may have joined during the request to the service.
  if ((await runnerOf(tools, launch)) !== undefined) return release(tools, launch, 0);
  await failLaunch(tools, launch, `ended before the runner connected${status.detail ? `: ${status.detail}` : ""}`);
}

/** Handles a launch whose runner has joined, until it ends. */
async function checkJoined(tools: Tools, launch: LaunchRow): Promise<void> {
  const now = tools.clock().getTime();
  const status = await readStatus(tools, launch);
  if (!(status instanceof Error) && status.state === "ended") return finishLaunch(tools, launch, null);
  const lateMs = now - launch.ends_by.getTime();
  const isThere = launch.token_id !== null && (await isRunnerThere(tools.database, launch.token_id));
  if (lateMs > LONGEST_RUN_MS || (lateMs > LEAVE_MS && !isThere)) {
    await launcherOf(tools, launch).launcher.cancel(launch.external_id ?? "", requestSignal(tools));
    return finishLaunch(tools, launch, "did not end at its time limit, and was ended");
  }
  await release(tools, launch, THERE_MS, status instanceof Error ? status.message : null);
}

/** Returns the state at the service, or the error of the request, which does not change the launch. */
async function readStatus(tools: Tools, launch: LaunchRow): Promise<LaunchStatus | Error> {
  try {
    return await launcherOf(tools, launch).launcher.status(launch.external_id ?? "", requestSignal(tools));
  } catch (error) {
    if (tools.signal.aborted) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function runnerOf({ database }: Tools, { id }: LaunchRow) {
  // Reads the launch again, because a runner that proves its identity gets its token meanwhile.
  return database.db
    .selectFrom("launch")
    .innerJoin("runner", "runner.token_id", "launch.token_id")
    .select(["runner.first_seen_at", "runner.refused"])
    .where("launch.id", "=", id)
    .executeTakeFirst();
}

async function finishLaunch(tools: Tools, launch: LaunchRow, error: string | null): Promise<void> {
  await closeLaunch(tools, launch, { state: "ended", error });
}

async function failLaunch(tools: Tools, launch: LaunchRow, error: string): Promise<void> {
  // Launches of the same time that fail together count as one failure.
  const { rows } = await sql<{ failures: number }>`
    select case state when 'failed' then failures else 0 end as failures from launch
    where launcher = ${launch.launcher} and target = ${launch.target} and state in ('joined', 'ended', 'failed')
      and coalesce(joined_at, ended_at) < ${launch.created_at}::timestamptz
    order by coalesce(joined_at, ended_at) desc, id desc limit 1`.execute(tools.database.db);
  const failures = 1 + (rows[0]?.failures ?? 0);
  const retry_at = new Date(tools.clock().getTime() + backoffMs(LAUNCH_BACKOFF, failures));
  await closeLaunch(tools, launch, { state: "failed", error, failures, retry_at });
  tools.database.log(`launch failed: ${launch.launcher}, target ${launch.target}, ${launch.name}: ${error}`);
}

async function closeLaunch(tools: Tools, launch: LaunchRow, set: Change & { state: "ended" | "failed" }) {
  await update(tools, launch, { ...set, ended_at: tools.clock() });
  const { token_id } = await tools.database.db
    .selectFrom("launch")
    .select("token_id")
    .where("id", "=", launch.id)
    .executeTakeFirstOrThrow();
  if (token_id !== null) await revokeToken(tools.database, token_id);
}

/** Releases a launch, to be checked again after `inMs`. */
function release(tools: Tools, launch: LaunchRow, inMs: number, error = launch.error): Promise<void> {
  return update(tools, launch, { due_at: new Date(tools.clock().getTime() + inMs), error });
}

async function update({ database }: Tools, { id, lease_until }: LaunchRow, set: Change): Promise<void> {
  const error = set.error === undefined || set.error === null ? set.error : storableText(set.error).slice(0, 1000);
  await idempotent(database.db)
    .updateTable("launch")
    .set({ ...set, ...(error !== undefined && { error }), lease_until: null })
    .where("id", "=", id)
    // Ignored when another server has claimed the launch after the lease expired.
    .where("lease_until", "=", lease_until)
    .execute();
}

function launcherOf({ launchers }: Tools, { launcher: name, target }: LaunchRow) {
  const known = launchers.get(name);
  if (known === undefined) throw new Error(`launcher ${name} is not configured`);
  // A target that was removed from the configuration is processed with default settings until its launches end.
  const settings = known.config.targets.get(target) ?? TargetSettings.parse({});
  return { launcher: known.launcher, settings };
}

function requestSignal({ signal }: Tools): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
