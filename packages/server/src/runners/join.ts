/** A runner comes and asks for work: whether it may, and what it is told. */
import { createHash } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import { hardwareRefusal, KernelBotError, quote, type ClaimRequest, type Order } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../db/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import { GRACE_MS, IS_AT_WORK } from "../runs/runners.ts";
import type { RunnerPolicy } from "./policy.ts";

/** How long a process waits that calls itself as another one does, in seconds. */
const RETRY_S = 5;
/** A canary that was ordered and not heard of is ordered again after so long, in minutes. */
const CANARY_PATIENCE_MIN = 10;

/** @throws KernelBotError `forbidden` where the token may not work for the target. */
export function requireTarget(identity: Identity, target: string): void {
  requireScope(identity, "runner");
  if (identity.targets.includes(target)) return;
  throw new KernelBotError(
    "forbidden",
    `this token may claim for ${identity.targets.join(", ") || "no target"}, and not for ${quote(target)}`,
  );
}

/** A runner that asks for work. */
export interface Joined {
  id: number;
  /** When it did, as the database writes it. */
  seen: string;
}

/** The machine of a runner as it is stored: its description, and the SHA-256 of that, in hex. */
export function machineRow({ machine }: ClaimRequest): { description: string; hash: string } {
  const description = jsonText(machine);
  return { description, hash: createHash("sha256").update(description).digest("hex") };
}

/** Why a runner may not work for the target that it asks for: its hardware is another; null where it may. */
export function refusalOf(
  { target, machine }: ClaimRequest,
  { hardware }: Pick<RunnerPolicy, "hardware">,
): string | null {
  return hardwareRefusal(target, machine, hardware);
}

/**
 * SQL: notes that a runner asks for work, as parts of a statement. `joined` has its `Joined`, and no row where its token has
 * no room for another name, or another process of the same name is at work: `whyNotJoined` says which.
 */
export function joining(identity: Identity, request: ClaimRequest, refusal: string | null): RawBuilder<unknown> {
  const { description, hash } = machineRow(request);
  const name = storableText(request.runner);
  const dueInMs = refusal === null ? request.waitMs + GRACE_MS : 0;
  return sql`described as (
      insert into machine (hash, description) values (decode(${hash}, 'hex'), ${description}::text::json)
      on conflict do nothing
    ), joined as (
      insert into runner (token_id, target, name, machine_hash, instance, refused, due_at)
      select id, ${request.target}, ${name}, decode(${hash}, 'hex'), ${request.instance ?? null}::text::uuid,
        ${refusal === null ? null : storableText(refusal)},
        clock_timestamp() + ${dueInMs}::integer * interval '1 millisecond'
      from token where id = ${identity.tokenId}::bigint
        and (runners is null or runners > (
          select count(distinct other.name) from runner other where other.token_id = token.id and other.name <> ${name}))
      on conflict (token_id, target, name) do update
        set machine_hash = excluded.machine_hash, instance = excluded.instance, refused = excluded.refused,
          seen_at = clock_timestamp(), due_at = excluded.due_at,
          canary_due_at = case when runner.instance is distinct from excluded.instance
            then least(runner.canary_due_at, clock_timestamp()) else runner.canary_due_at end
        where coalesce(runner.instance = excluded.instance, runner.instance is null) or not ${IS_AT_WORK}
      returning id, seen_at::text as seen
    )`;
}

/** Notes that a runner which had asked for work has hung up. One that has asked again meanwhile, perhaps of another server, is there. */
export async function hangUp({ db }: Database, { id, seen }: Joined): Promise<void> {
  await sql`update runner set due_at = clock_timestamp()
    where id = ${id}::bigint and seen_at = ${seen}::text::timestamptz`.execute(db);
}

/** What a runner is told that did not join. */
export async function whyNotJoined(
  { db }: Database,
  { tokenId }: Identity,
  { target, runner: name }: ClaimRequest,
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
      `another process called ${quote(name)} works with this token, on ${quote(same.machine.hostname)}: this one waits until that has ended; give them names of their own by --name`,
      { retryAfterS: RETRY_S },
    );
  }
  const others = [...new Set(names.map((runner) => quote(runner.name)))].slice(0, 5).join(", ");
  return new KernelBotError(
    "forbidden",
    `this token has no room for a runner called ${quote(name)}: ${others} joined with it. Call this one as that is called by --name, or make a token for it with kernelbot runners add`,
  );
}

/** SQL: whether a runner may be given a run at this moment. */
export function mayClaim({ tokenId }: Identity, target: string, name: string): RawBuilder<boolean> {
  return sql<boolean>`(exists (select from token where id = ${tokenId}::bigint and revoked_at is null
      and coalesce(expires_at > clock_timestamp(), true))
    and not exists (select from runner where token_id = ${tokenId}::bigint and target = ${target} and name = ${name}
      and standing <> 'active'))`;
}

/**
 * What a runner for which there is no run is told, if anything.
 * @throws KernelBotError `unauthorized` where its token ended while it waited.
 */
export async function orderFor({ db }: Database, id: number, request: ClaimRequest): Promise<Order | null> {
  const row = await db
    .selectFrom("runner")
    .innerJoin("token", "token.id", "runner.token_id")
    .leftJoin("account", "account.id", "runner.standing_by")
    .select(["standing", "reason", "account.name as by"])
    .select(sql<boolean>`canary_due_at <= clock_timestamp()`.as("canaryDue"))
    .select(
      sql<boolean>`revoked_at is not null or coalesce(expires_at <= clock_timestamp(), false)`.as("tokenHasEnded"),
    )
    .where("runner.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.tokenHasEnded) throw new KernelBotError("unauthorized", "this token was revoked, or has expired");
  const reason = `by ${row.by ?? "the server"}: ${row.reason ?? ""}`;
  if (row.standing === "draining") return { order: "end", reason };
  if (row.canaryDue && request.canary === true && (await orderCanary(db, id, request.machine.hostname))) {
    return { order: "canary", reason: "it is due" };
  }
  return row.standing === "paused" ? { order: "pause", reason } : null;
}

/** Whether a runner shall time the canary now: it is due, and nothing runs on its host, for which there may be others. */
async function orderCanary(db: Database["db"], id: number, hostname: string): Promise<boolean> {
  const { rows } = await sql`
    update runner set canary_due_at = clock_timestamp() + ${CANARY_PATIENCE_MIN}::integer * interval '1 minute'
    where id = ${id}::bigint and canary_due_at <= clock_timestamp() and not exists (
      select from run join machine on machine.hash = run.machine_hash
      where run.state = 'running' and machine.description->>'hostname' = ${storableText(hostname)})
    returning id`.execute(db);
  return rows.length > 0;
}
