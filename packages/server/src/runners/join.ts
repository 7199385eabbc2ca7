/** Joining of runners: whether a runner may claim runs, and commands for it. */
import { createHash } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import {
  hardwareMismatch,
  KernelBotError,
  quote,
  compareTargets,
  type ClaimRequest,
  type RunnerCheck,
  type RunnerCheckRequest,
  type RunnerCommand,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import { GRACE_MS, IS_BUSY } from "./presence.ts";
import type { RunnerPolicy } from "./policy.ts";

/** Retry delay in seconds for a process whose runner name is in use by another process. */
const RETRY_S = 5;
/** A canary that was ordered and not reported is ordered again after this time, in minutes. */
const CANARY_PATIENCE_MIN = 10;

/**
 * Checks that a token may claim runs of a target.
 * @throws KernelBotError `forbidden`.
 */
export function requireTarget(identity: Identity, target: string): void {
  requireScope(identity, "runner");
  if (identity.targets.includes(target)) return;
  throw new KernelBotError(
    "forbidden",
    `this token may claim for ${identity.targets.toSorted(compareTargets).join(", ") || "no target"}, and not for ${quote(target)}`,
  );
}

/** A runner that has requested work. */
export interface JoinedRunner {
  id: number;
  /** Time of the request, as formatted by the database. */
  seen: string;
}

/** Returns the description of a runner's machine as stored, and its SHA-256 in hexadecimal. */
export function machineRow({ machine }: ClaimRequest): { description: string; hash: string } {
  const description = jsonText(machine);
  return { description, hash: createHash("sha256").update(description).digest("hex") };
}

/** Returns why a runner may not work for a target, because its hardware does not match; null if it may. */
export function hardwareRefusal(
  { target, machine }: Pick<ClaimRequest, "target" | "machine">,
  { hardware }: Pick<RunnerPolicy, "hardware">,
): string | null {
  return hardwareMismatch(target, machine, hardware);
}

/**
 * SQL: CTEs that record a runner's request for work. `joined` has its `Joined`, or no row if the token's number of
 * runner names is exhausted or another process of the same name is at work; `joinRefusal` returns which.
 */
export function joinQuery(identity: Identity, request: ClaimRequest, refusal: string | null): RawBuilder<unknown> {
  const { description, hash } = machineRow(request);
  const name = storableText(request.runner);
  const dueInMs = refusal === null ? request.waitMs + GRACE_MS : 0;
  return sql`described as (
      insert into machine (hash, description) values (decode(${hash}, 'hex'), ${description}::text::json)
      on conflict do nothing
    ), joined as (
      insert into runner (token_id, target, name, machine_hash, instance, refused, load, due_at)
      select id, ${request.target}, ${name}, decode(${hash}, 'hex'), ${request.instance ?? null}::text::uuid,
        ${refusal === null ? null : storableText(refusal)}, ${request.load ?? null}::float8,
        clock_timestamp() + ${dueInMs}::integer * interval '1 millisecond'
      from token where id = ${identity.tokenId}::bigint and ${allowsName(name)}
      on conflict (token_id, target, name) do update
        set machine_hash = excluded.machine_hash, instance = excluded.instance, refused = excluded.refused,
          load = excluded.load,
          seen_at = clock_timestamp(), due_at = excluded.due_at,
          canary_due_at = case when runner.instance is distinct from excluded.instance
            then least(runner.canary_due_at, clock_timestamp()) else runner.canary_due_at end
        where coalesce(runner.instance = excluded.instance, runner.instance is null) or not ${IS_BUSY}
      returning id, seen_at::text as seen
    )`;
}

/** SQL: whether a row of `token` allows a runner of this name. */
function allowsName(name: string): RawBuilder<boolean> {
  return sql`(runners is null or runners > (
    select count(distinct other.name) from runner other where other.token_id = token.id and other.name <> ${name}))`;
}

/**
 * Checks whether a runner would be accepted, without recording it.
 * @throws KernelBotError `forbidden`.
 */
export async function checkRunner(
  database: Database,
  identity: Identity,
  { target, runner, machine }: RunnerCheckRequest,
  policy: Pick<RunnerPolicy, "hardware">,
): Promise<RunnerCheck> {
  requireTarget(identity, target);
  const token = await database.db
    .selectFrom("token")
    .select(["expires_at", allowsName(storableText(runner)).as("allowsName")])
    .where("id", "=", identity.tokenId)
    .executeTakeFirstOrThrow();
  if (!token.allowsName) throw await joinRefusal(database, identity, { target, runner });
  const refusal = machine === null ? null : hardwareRefusal({ target, machine }, policy);
  if (refusal !== null) throw new KernelBotError("forbidden", refusal);
  return { tokenExpiresAt: token.expires_at?.toISOString() ?? null };
}

/**
 * Marks a runner offline that has disconnected, unless it has requested work again since, possibly from another server.
 */
export async function markRunnerDisconnected({ db }: Database, { id, seen }: JoinedRunner): Promise<void> {
  await sql`update runner set due_at = clock_timestamp()
    where id = ${id}::bigint and seen_at = ${seen}::text::timestamptz`.execute(db);
}

/** Returns the error for a runner that could not join. */
export async function joinRefusal(
  { db }: Database,
  { tokenId }: Identity,
  { target, runner: name }: Pick<ClaimRequest, "target" | "runner">,
): Promise<KernelBotError> {
  const names = await db
    .selectFrom("runner")
    .innerJoin("machine", "machine.hash", "runner.machine_hash")
    .select(["name", "target", "machine.description as machine"])
    .where("token_id", "=", tokenId)
    .orderBy("first_seen_at")
    .execute();
  const same = names.find((runner) => runner.name === name && runner.target === target);
  if (same !== undefined) {
    return new KernelBotError(
      "too_many_requests",
      `another runner process named ${quote(name)} is using this token on ${quote(same.machine.hostname)}: waiting until it ends; to run both, give each its own --name`,
      { retryAfterS: RETRY_S },
    );
  }
  const others = [...new Set(names.map((runner) => quote(runner.name)))].slice(0, 5).join(", ");
  return new KernelBotError(
    "forbidden",
    `this token already has a runner named ${others}, so ${quote(name)} cannot join: start it with that --name, or create another token with kernelbot runners add`,
  );
}

/** SQL: whether a runner may claim a run now: its token is valid and the runner is active. */
export function mayClaim({ tokenId }: Identity, target: string, name: string): RawBuilder<boolean> {
  return sql<boolean>`(exists (select from token where id = ${tokenId}::bigint and revoked_at is null
      and coalesce(expires_at > clock_timestamp(), true))
    and not exists (select from runner where token_id = ${tokenId}::bigint and target = ${target} and name = ${name}
      and admin_state <> 'active'))`;
}

/**
 * Returns the command for a runner without a run: end, time the canary, or pause; null if there is none.
 * @throws KernelBotError `unauthorized` if its token was revoked or expired while the runner waited.
 */
export async function findCommand({ db }: Database, id: number, request: ClaimRequest): Promise<RunnerCommand | null> {
  const row = await db
    .selectFrom("runner")
    .innerJoin("token", "token.id", "runner.token_id")
    .leftJoin("account", "account.id", "runner.admin_state_by")
    .select(["admin_state", "reason", "account.name as by"])
    .select(sql<boolean>`canary_due_at <= clock_timestamp()`.as("canaryDue"))
    .select(
      sql<boolean>`revoked_at is not null or coalesce(expires_at <= clock_timestamp(), false)`.as("tokenHasEnded"),
    )
    .where("runner.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.tokenHasEnded) throw new KernelBotError("unauthorized", "this token was revoked or has expired");
  const reason = `by ${row.by ?? "the server"}: ${row.reason ?? ""}`;
  if (row.admin_state === "draining") return { order: "end", reason };
  if (row.canaryDue && request.canary === true && (await orderCanary(db, id, request.machine.hostname))) {
    return { order: "canary", reason: "it is due" };
  }
  return row.admin_state === "paused" ? { order: "pause", reason } : null;
}

/**
 * Orders a canary if it is due and no run is running on the same host, which may have several runners. @returns whether
 * it was ordered.
 */
async function orderCanary(db: Database["db"], id: number, hostname: string): Promise<boolean> {
  const { rows } = await sql`
    update runner set canary_due_at = clock_timestamp() + ${CANARY_PATIENCE_MIN}::integer * interval '1 minute'
    where id = ${id}::bigint and canary_due_at <= clock_timestamp() and not exists (
      select from run join machine on machine.hash = run.machine_hash
      where run.state = 'running' and machine.description->>'hostname' = ${storableText(hostname)})
    returning id`.execute(db);
  return rows.length > 0;
}
