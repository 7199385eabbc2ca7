/** Moderation decisions, visible to the accounts that they concern. */
import { sql, type Transaction } from "kysely";
import type { Decision, DecisionAct, ModerationQueue } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { audit } from "../auth/audit.ts";

/** Account, submission and run that a decision is about. */
export interface Subject {
  accountId: string;
  submissionId?: number;
  runId?: number;
}

/** Reason of a decision. */
export interface Grounds {
  /** Public text. */
  reason: string;
  /** Id of the decision whose appeal this decision answers. */
  answers?: number | undefined;
}

/**
 * Records a decision and its entry in the audit log, in the transaction that executes it. @returns the id of the
 * decision.
 */
export async function recordDecision(
  transaction: Transaction<Tables>,
  identity: Identity,
  act: DecisionAct,
  { accountId, submissionId, runId }: Subject,
  { reason, answers }: Grounds,
): Promise<number> {
  const { id } = await transaction
    .insertInto("decision")
    .values({
      decided_by: identity.account.id,
      act,
      account_id: accountId,
      submission_id: submissionId ?? null,
      run_id: runId ?? null,
      reason: storableText(reason),
      answers: answers ?? null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const subject =
    runId !== undefined
      ? `run ${runId}`
      : submissionId !== undefined
        ? `submission ${submissionId}`
        : `account ${accountId}`;
  await audit(transaction, identity, act, subject, answers === undefined ? { reason } : { reason, answers });
  return id;
}

/** Lists the decisions about an account, its submissions and its runs, the newest first. */
export async function decisionsAbout(database: Database, accountId: string): Promise<Decision[]> {
  const rows = await decisionRows(database)
    .where("d.account_id", "=", accountId)
    .orderBy("d.id", "desc")
    .limit(200)
    .execute();
  return rows.map(decisionOf);
}

/**
 * Lists the decisions about a submission and its runs, the newest first. Answers to appeals are part of the decisions
 * that they answer.
 */
export async function decisionsOn(database: Database, submissionId: number): Promise<Decision[]> {
  const rows = await decisionRows(database)
    .where((where) =>
      where.or([
        where("d.submission_id", "=", submissionId),
        where("d.run_id", "in", where.selectFrom("run").select("run.id").where("run.submission_id", "=", submissionId)),
      ]),
    )
    .where("d.answers", "is", null)
    .orderBy("d.id", "desc")
    .limit(200)
    .execute();
  return rows.map(decisionOf);
}

/** Returns a decision, or null if it does not exist. */
export async function readDecision(database: Database, id: number): Promise<Decision | null> {
  const row = await decisionRows(database).where("d.id", "=", id).executeTakeFirst();
  return row === undefined ? null : decisionOf(row);
}

/** Lists the decisions with open appeals, the oldest appeal first. */
export async function openAppeals(database: Database): Promise<ModerationQueue["appeals"]> {
  const rows = await decisionRows(database)
    .where("d.appeal", "is not", null)
    .where("answer.id", "is", null)
    .orderBy("d.appealed_at")
    .limit(200)
    .execute();
  return rows.map(withDecider);
}

/**
 * Returns a decision with the moderator who made it, whose name is not public; null if it does not exist. For
 * moderators.
 */
export async function readAppealed(
  database: Database,
  identity: Identity,
  id: number,
): Promise<ModerationQueue["appeals"][number] | null> {
  requireRole(identity, "moderator");
  const row = await decisionRows(database).where("d.id", "=", id).executeTakeFirst();
  return row === undefined ? null : withDecider(row);
}

function withDecider(row: Row): ModerationQueue["appeals"][number] {
  return { ...decisionOf(row), decidedBy: { id: row.decided_by, name: row.decider } };
}

function decisionRows({ db }: Database) {
  return db
    .selectFrom("decision as d")
    .innerJoin("account", "account.id", "d.account_id")
    .innerJoin("account as by", "by.id", "d.decided_by")
    .leftJoin("decision as answer", "answer.answers", "d.id")
    .select(["d.id", "d.at", "d.act", "d.submission_id", "d.run_id", "d.reason", "d.appeal", "d.appealed_at"])
    .select(["d.account_id", "account.name", "d.decided_by", "by.name as decider"])
    .select(["answer.at as answered_at", "answer.act as answer_act", "answer.reason as answer_reason"])
    .select(sql<number | null>`(select submission_id from run where run.id = d.run_id)`.as("run_submission"));
}

type Row = Awaited<ReturnType<ReturnType<typeof decisionRows>["execute"]>>[number];

function decisionOf(row: Row): Decision {
  const { answered_at, answer_act, answer_reason } = row;
  return {
    id: row.id,
    at: row.at.toISOString(),
    act: row.act,
    account: { id: row.account_id, name: row.name },
    submissionId: row.submission_id ?? row.run_submission,
    runId: row.run_id,
    reason: row.reason,
    appeal:
      row.appeal === null || row.appealed_at === null ? null : { at: row.appealed_at.toISOString(), text: row.appeal },
    answer:
      answered_at === null || answer_act === null || answer_reason === null
        ? null
        : { at: answered_at.toISOString(), act: answer_act, reason: answer_reason },
  };
}
