/** Evaluation sessions: opens, reads, ends and deletes them. */
import { createHash, randomUUID } from "node:crypto";
import {
  canonicalJson,
  KernelBotError,
  quote,
  sortedTargets,
  type EvaluationSession,
  type EvaluationSessionRequest,
} from "@kernelbot/core";
import { sql, type Selectable } from "kysely";
import { requireScope, type Identity } from "../../auth/identity.ts";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import type { Tables } from "../../db/tables.ts";
import { runTransaction } from "../../db/transaction.ts";
import { requireOpenGate } from "../../submissions/gate.ts";
import { checkKey } from "../../submissions/request-checks.ts";
import { readEvaluable } from "../evaluable.ts";
import { lockEvaluations } from "../lock-account.ts";
import { visible } from "../read.ts";
import { budgetOf, type BudgetRow } from "./budget-columns.ts";

/** Maximum number of open sessions of an account. */
const MAX_OPEN = 1000;

type SessionRow = Pick<
  Selectable<Tables["evaluation_session"]>,
  "id" | "problem" | "target" | "max_evaluations" | "created_at" | "ends_at"
> &
  BudgetRow;

/**
 * Opens a session.
 * @param idempotencyKey Key chosen by the client. Repeating a request with the same key returns the first session.
 * @throws KernelBotError `not_found`, `forbidden`, `unprocessable`, `conflict`, `too_many_requests` or `unavailable`.
 */
export async function openSession(
  database: Database,
  identity: Identity,
  request: EvaluationSessionRequest,
  idempotencyKey?: string,
): Promise<EvaluationSession> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const { problem, target, maxEvaluations, maxSeconds } = request;
  const { spec } = (await readEvaluable(database, identity, problem)).problem;
  if (!Object.hasOwn(spec.targets, target)) {
    throw new KernelBotError(
      "unprocessable",
      `the problem ${problem} has no target ${quote(target)}; it has ${sortedTargets(spec).join(", ")}`,
    );
  }
  const accountId = identity.account.id;
  const key = idempotencyKey ?? ` ${randomUUID()}`;
  const requestHash = createHash("sha256").update(canonicalJson(request)).digest();
  const id = await runTransaction(idempotent(database.db), async (transaction) => {
    await lockEvaluations(transaction, accountId);
    const earlier = await transaction
      .selectFrom("evaluation_session")
      .select(["id", "request_hash"])
      .where("account_id", "=", accountId)
      .where("idempotency_key", "=", key)
      .executeTakeFirst();
    if (earlier?.request_hash.equals(requestHash)) return earlier.id;
    if (earlier !== undefined) {
      throw new KernelBotError(
        "conflict",
        `the idempotency key ${quote(key)} was already used for a different request: evaluation session ${earlier.id}`,
      );
    }
    const { rows } = await sql<{ id: number }>`
      insert into evaluation_session (account_id, problem, target, max_evaluations, idempotency_key, request_hash, ends_at)
      select ${accountId}::text, ${problem}::text, ${target}::text, ${maxEvaluations}::integer, ${key}::text,
        ${requestHash}::bytea, clock_timestamp() + ${maxSeconds}::integer * interval '1 second'
      where (select count(*) from evaluation_session where account_id = ${accountId} and ends_at > clock_timestamp())
        < ${MAX_OPEN}::integer
      returning id`.execute(transaction);
    if (rows[0] !== undefined) return rows[0].id;
    throw new KernelBotError(
      "too_many_requests",
      `this account has ${MAX_OPEN.toLocaleString("en-US")} open evaluation sessions, the maximum; end one first`,
      { retryAfterS: 60 },
    );
  });
  return readSession(database, identity, id);
}

/**
 * Returns a session of the caller, or any for an administrator.
 * @throws KernelBotError `not_found`.
 */
export async function readSession(database: Database, identity: Identity, id: number): Promise<EvaluationSession> {
  const { rows } = await sql<SessionRow>`
    select e.id, e.problem, e.target, e.max_evaluations, e.created_at, e.ends_at, ${budgetOf("e")}
    from evaluation_session e where e.id = ${id}::bigint and ${visible(identity)}`.execute(database.db);
  const [row] = rows;
  if (row === undefined) throw noSession(id);
  return {
    ...{ id, problem: row.problem, target: row.target, maxEvaluations: row.max_evaluations },
    ...{ evaluationsLeft: row.evaluations_left, secondsLeft: row.seconds_left },
    ...{ createdAt: row.created_at.toISOString(), endsAt: row.ends_at.toISOString() },
  };
}

/**
 * Ends a session now: it accepts no further evaluations and notes. Those that are queued or running are judged.
 * @throws KernelBotError `not_found`.
 */
export async function endSession(database: Database, identity: Identity, id: number): Promise<EvaluationSession> {
  requireScope(identity, "submit");
  await sql`
    update evaluation_session e set ends_at = least(ends_at, clock_timestamp())
    where id = ${id}::bigint and ${visible(identity)}`.execute(idempotent(database.db));
  return readSession(database, identity, id);
}

/** Deletes the sessions that ended before a time and whose evaluations have been deleted. */
export async function deleteOldSessions({ db }: Database, before: Date): Promise<void> {
  await sql`
    delete from evaluation_session s where ends_at < ${before}::timestamptz
      and not exists (select from evaluation e where e.session_id = s.id)`.execute(idempotent(db));
}

export function noSession(id: number): KernelBotError {
  return new KernelBotError("not_found", `evaluation session ${id} not found`);
}
