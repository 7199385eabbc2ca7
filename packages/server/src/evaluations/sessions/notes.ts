/** Notes that an agent adds to the transcript of its session. */
import { randomUUID } from "node:crypto";
import { KernelBotError, MAX_NOTES, quote, type EvaluationSession, type SessionNote } from "@kernelbot/core";
import { sql } from "kysely";
import { requireScope, type Identity } from "../../auth/identity.ts";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import { storableText } from "../../db/json.ts";
import { runTransaction } from "../../db/transaction.ts";
import { requireOpenGate } from "../../submissions/gate.ts";
import { checkKey } from "../../submissions/request-checks.ts";
import { lockEvaluations } from "../lock-account.ts";
import { noSession, readSession } from "./sessions.ts";

/**
 * Adds a note to a session of the caller.
 * @param idempotencyKey Key chosen by the client. A note that is sent twice with the same key is one note.
 * @throws KernelBotError `not_found`, or `conflict` if the session has ended or has the maximum number of notes.
 */
export async function addNote(
  database: Database,
  identity: Identity,
  id: number,
  { text }: SessionNote,
  idempotencyKey?: string,
): Promise<EvaluationSession> {
  requireScope(identity, "submit");
  await requireOpenGate(database);
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const key = idempotencyKey ?? ` ${randomUUID()}`;
  const stored = storableText(text);
  await runTransaction(idempotent(database.db), async (transaction) => {
    await lockEvaluations(transaction, identity.account.id);
    const { rows } = await sql<{ ended: boolean; notes: number; ends_at: Date; earlier: string | null }>`
      select es.ends_at, es.ends_at <= clock_timestamp() as ended,
        (select count(*)::integer from evaluation_session_note n where n.session_id = es.id) as notes,
        (select n.text from evaluation_session_note n where n.session_id = es.id and n.idempotency_key = ${key}) as earlier
      from evaluation_session es where es.id = ${id}::bigint and es.account_id = ${identity.account.id}`.execute(
      transaction,
    );
    const [session] = rows;
    if (session === undefined) throw noSession(id);
    if (session.earlier === stored) return;
    if (session.earlier !== null) {
      throw new KernelBotError("conflict", `the idempotency key ${quote(key)} was already used for a different note`);
    }
    if (session.ended) {
      throw new KernelBotError("conflict", `evaluation session ${id} ended at ${session.ends_at.toISOString()}`);
    }
    if (session.notes >= MAX_NOTES) {
      throw new KernelBotError("conflict", `evaluation session ${id} has ${MAX_NOTES} notes, the maximum`);
    }
    await transaction
      .insertInto("evaluation_session_note")
      .values({ session_id: id, text: stored, idempotency_key: key })
      .execute();
  });
  return readSession(database, identity, id);
}
