/** A runner comes and asks for work: whether it may, and what it is told. */
import { createHash } from "node:crypto";
import { sql, type RawBuilder } from "kysely";
import { hardwareRefusal, KernelBotError, quote, type ClaimRequest, type Order } from "@kernelbot/core";
import { commitsSoon } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../db/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
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

export interface Joined {
  id: number;
  /** Notes that it has hung up. */
  hangUp: () => Promise<void>;
}

/**
 * Notes that a runner asks for work.
 * @throws KernelBotError `forbidden` where its hardware is not the target, or its token has no room for another name;
 * `too_many_requests` while another process of the same name is at work.
 */
export async function join(
  { db }: Database,
  identity: Identity,
  request: ClaimRequest,
  { hardware }: Pick<RunnerPolicy, "hardware">,
): Promise<Joined> {
  const machine = jsonText(request.machine);
  const hash = createHash("sha256").update(machine).digest("hex");
  const name = storableText(request.runner);
  const refused = hardwareRefusal(request.target, request.machine, hardware);
  const dueInMs = refused === null ? request.waitMs + GRACE_MS : 0;
  const { rows } = await retrying(() =>
    sql<{ id: number; seen: string }>`
      with described as (
        insert into machine (hash, description) values (decode(${hash}, 'hex'), ${machine}::text::json)
        on conflict do nothing
      )
      insert into runner (token_id, target, name, machine_hash, instance, refused, due_at)
      select id, ${request.target}, ${name}, decode(${hash}, 'hex'), ${request.instance ?? null}::text::uuid,
        ${refused === null ? null : storableText(refused)},
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
      returning id, seen_at::text as seen, ${commitsSoon()} as commits`.execute(db),
  );
  const [row] = rows;
  if (row === undefined) throw await noRoom(db, identity, request.target, name);
  if (refused !== null) throw new KernelBotError("forbidden", refused);
  return {
    id: row.id,
    async hangUp() {
      // One that has asked again meanwhile, perhaps of another server, is there.
      await sql`update runner set due_at = clock_timestamp()
        where id = ${row.id}::bigint and seen_at = ${row.seen}::text::timestamptz`.execute(db);
    },
  };
}

async function noRoom(
  db: Database["db"],
  { tokenId }: Identity,
  target: string,
  name: string,
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
