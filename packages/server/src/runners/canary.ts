/**
 * Canaries: stores the times that runners report, compares them with the runner's own baseline, and pauses runners that
 * have drifted.
 */
import { createHash } from "node:crypto";
import { sql, type Selectable, type Transaction } from "kysely";
import {
  BASELINE_CANARIES,
  driftOf,
  formatDrift,
  COMPARED_CANARIES,
  KernelBotError,
  machineDifferences,
  medianTimes,
  quote,
  type CanaryReport,
  type Machine,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { pauseFor } from "./presence.ts";
import { requireTarget } from "./join.ts";
import type { RunnerPolicy } from "./policy.ts";

/** Intervals in milliseconds while the baseline is measured, and while an unusual canary is to be confirmed. */
const BASELINE_EVERY_MS = 300_000;
const CONFIRM_EVERY_MS = 60_000;

/** Canaries kept for each runner: about three months at one per hour. */
const KEPT = 2200;

type Runner = Pick<
  Selectable<Tables["runner"]>,
  "id" | "target" | "baseline_from" | "baseline_of" | "baseline_ns" | "admin_state"
>;

/**
 * Stores a canary of a runner. @returns a message for the runner's log.
 * @throws KernelBotError `conflict` if no such runner of this token has requested work.
 */
export async function recordCanary(
  { db }: Database,
  identity: Identity,
  report: CanaryReport,
  policy: Pick<RunnerPolicy, "canaryEveryMs" | "boundOf">,
): Promise<string> {
  requireTarget(identity, report.target);
  return runTransaction(db, async (transaction) => {
    const runner = await runnerOf(transaction, identity, report);
    await storeCanary(transaction, runner.id, report);
    return compareCanary(transaction, runner, report.machine, policy);
  });
}

/** Returns the runner, locked. Resets the baseline if the canary kernel or the tester version has changed. */
async function runnerOf(
  transaction: Transaction<Tables>,
  { tokenId }: Identity,
  { target, runner: name, machine, kernel }: CanaryReport,
): Promise<Runner> {
  const runner = await transaction
    .selectFrom("runner")
    .select(["id", "target", "baseline_from", "baseline_of", "baseline_ns", "admin_state"])
    .where("token_id", "=", tokenId)
    .where("target", "=", target)
    .where("name", "=", storableText(name))
    .forUpdate()
    .executeTakeFirst();
  if (runner === undefined) {
    throw new KernelBotError("conflict", `no runner ${quote(name)} has claimed work on ${target} with this token`);
  }
  const baselineOf = storableText(`${kernel} by tester ${machine.testerVersion}`);
  if (runner.baseline_of === baselineOf) return runner;
  return transaction
    .updateTable("runner")
    .set({ baseline_of: baselineOf, baseline_from: sql<Date>`clock_timestamp()`, baseline_ns: null, drift: null })
    .where("id", "=", runner.id)
    .returning(["id", "target", "baseline_from", "baseline_of", "baseline_ns", "admin_state"])
    .executeTakeFirstOrThrow();
}

async function storeCanary(
  transaction: Transaction<Tables>,
  runnerId: number,
  { machine, timesNs, failure }: CanaryReport,
): Promise<void> {
  const text = jsonText(machine);
  const hash = createHash("sha256").update(text).digest();
  await sql`insert into machine (hash, description) values (${hash}, ${text}::text::json) on conflict do nothing`.execute(
    transaction,
  );
  await transaction
    .insertInto("canary")
    .values({
      runner_id: runnerId,
      machine_hash: hash,
      times_ns: timesNs,
      failure: timesNs === null ? storableText(failure ?? "no reason given") : null,
    })
    .execute();
  await sql`delete from canary where runner_id = ${runnerId}::bigint and at < (
    select at from canary where runner_id = ${runnerId}::bigint order by at desc offset ${KEPT - 1}::integer limit 1)`.execute(
    transaction,
  );
}

async function compareCanary(
  transaction: Transaction<Tables>,
  runner: Runner,
  machine: Machine,
  { canaryEveryMs, boundOf }: Pick<RunnerPolicy, "canaryEveryMs" | "boundOf">,
): Promise<string> {
  const latest = await canariesOf(transaction, runner, "desc", COMPARED_CANARIES);
  const timed = latest.flatMap(({ times_ns }) => (times_ns === null ? [] : [times_ns]));
  const [last] = latest;
  const baseline = runner.baseline_ns ?? (await newBaseline(transaction, runner));
  const drift = baseline === null || timed.length < COMPARED_CANARIES ? null : driftOf(medianTimes(timed), baseline);
  const bound = boundOf(runner.target);
  const isOdd = last?.times_ns == null || (baseline !== null && isBeyond(driftOf(last.times_ns, baseline).by, bound));
  const nextMs = isOdd ? CONFIRM_EVERY_MS : baseline === null ? BASELINE_EVERY_MS : canaryEveryMs;
  await transaction
    .updateTable("runner")
    .set({
      baseline_ns: baseline,
      ...(drift !== null && { drift: drift.by }),
      canary_due_at: sql<Date>`clock_timestamp() + ${Math.min(nextMs, canaryEveryMs)}::float8 * interval '1 millisecond'`,
    })
    .where("id", "=", runner.id)
    .execute();
  const reason = await reasonToPause();
  if (reason !== null) await pauseFor(transaction, runner.id, reason);
  if (reason !== null) return reason;
  if (drift !== null) return `${formatDrift(drift.by)} than its baseline in ${drift.case}`;
  return last?.times_ns == null ? "recorded" : `recorded for the baseline of ${BASELINE_CANARIES} canaries`;

  async function reasonToPause(): Promise<string | null> {
    if (latest.length === COMPARED_CANARIES && timed.length === 0) {
      return `its canary failed ${COMPARED_CANARIES} times in a row; the last: ${last?.failure ?? ""}`;
    }
    if (drift === null || bound === null || !isBeyond(drift.by, bound)) return null;
    const percent = +(100 * bound).toFixed(1);
    const changes = await changesSince(transaction, runner, machine);
    return `its canary is ${formatDrift(drift.by)} than its baseline in ${drift.case}; the limit is ${percent} %${changes}`;
  }
}

/**
 * Returns whether a drift exceeds the bound, slower or faster by the same factor: a machine that got faster has changed
 * too.
 */
function isBeyond(by: number, bound: number | null): boolean {
  return bound !== null && Math.abs(Math.log1p(by)) > Math.log1p(bound);
}

async function newBaseline(transaction: Transaction<Tables>, runner: Runner): Promise<number[] | null> {
  const first = await canariesOf(transaction, runner, "asc", BASELINE_CANARIES, true);
  return first.length < BASELINE_CANARIES ? null : medianTimes(first.map(({ times_ns }) => times_ns as number[]));
}

/** Returns canaries since the baseline began. */
async function canariesOf(
  transaction: Transaction<Tables>,
  { id, baseline_from }: Runner,
  order: "asc" | "desc",
  limit: number,
  onlyTimed = false,
): Promise<{ times_ns: number[] | null; failure: string | null }[]> {
  return transaction
    .selectFrom("canary")
    .select(["times_ns", "failure"])
    .where("runner_id", "=", id)
    .where("at", ">=", baseline_from)
    .$if(onlyTimed, (query) => query.where("times_ns", "is not", null))
    .orderBy("at", order)
    .orderBy("id", order)
    .limit(limit)
    .execute();
}

/** Returns a description of the machine's changes since the baseline began, which may explain the drift. */
async function changesSince(transaction: Transaction<Tables>, runner: Runner, machine: Machine): Promise<string> {
  const first = await transaction
    .selectFrom("canary")
    .innerJoin("machine", "machine.hash", "canary.machine_hash")
    .select("machine.description as machine")
    .where("runner_id", "=", runner.id)
    .where("at", ">=", runner.baseline_from)
    .orderBy("at")
    .limit(1)
    .executeTakeFirst();
  const changes = first === undefined ? [] : machineDifferences(first.machine, machine);
  if (changes.length === 0) return "";
  const descriptions = changes.map(({ what, a, b }) => `${what} from ${a ?? "none"} to ${b ?? "none"}`);
  return `; changed since the baseline: ${descriptions.join(", ")}`;
}
