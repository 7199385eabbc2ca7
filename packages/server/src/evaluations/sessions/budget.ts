/** Budgets of evaluation sessions. */
import { formatCount, KernelBotError, type EvaluationRequest } from "@kernelbot/core";
import { sql, type Transaction } from "kysely";
import type { Identity } from "../../auth/identity.ts";
import { jsonText } from "../../db/json.ts";
import type { Tables } from "../../db/tables.ts";
import { budgetOf, type BudgetRow } from "./budget-columns.ts";
import { noSession } from "./sessions.ts";

type SessionRow = BudgetRow & { id: number; problem: string; target: string; max_evaluations: number; ends_at: Date };

/**
 * Counts new evaluations against the budgets of the sessions that they name, and locks these sessions until the end of
 * the transaction. Call it after the runs are locked, as runs that end lock their sessions in this order too.
 * @throws KernelBotError `not_found`, `unprocessable` for another problem or target, or `conflict` if a session has
 * ended or has fewer evaluations left.
 */
export async function useBudgets(
  transaction: Transaction<Tables>,
  { account }: Identity,
  requests: readonly EvaluationRequest[],
): Promise<void> {
  const bySession = Map.groupBy(
    requests.filter(({ session }) => session !== undefined),
    ({ session }) => session as number,
  );
  if (bySession.size === 0) return;
  const { rows } = await sql<SessionRow>`
    select es.id, es.problem, es.target, es.max_evaluations, es.ends_at, ${budgetOf("es")} from evaluation_session es
    where es.id = any(${[...bySession.keys()]}::bigint[]) and es.account_id = ${account.id}
    order by es.id for update`.execute(transaction);
  const sessions = new Map(rows.map((row) => [row.id, row]));
  for (const [id, evaluations] of bySession) requireBudget(sessions.get(id), id, evaluations);
  const used = [...bySession].map(([id, { length }]) => ({ id, count: length }));
  await sql`
    update evaluation_session es set used = used + u.count
    from json_to_recordset(${jsonText(used)}::text::json) as u (id bigint, count integer)
    where es.id = u.id`.execute(transaction);
}

function requireBudget(session: SessionRow | undefined, id: number, evaluations: readonly EvaluationRequest[]): void {
  if (session === undefined) throw noSession(id);
  const { problem, target, max_evaluations: most, evaluations_left: left, seconds_left: seconds, ends_at } = session;
  if (evaluations.some((each) => each.problem !== problem || each.target !== target)) {
    throw new KernelBotError("unprocessable", `evaluation session ${id} is for ${problem} on ${target}`);
  }
  const fields = { session: { id, evaluationsLeft: left, secondsLeft: seconds } };
  if (seconds === 0) {
    throw new KernelBotError(
      "conflict",
      `evaluation session ${id} ended at ${ends_at.toISOString()}; open another session, or evaluate without one`,
      { fields },
    );
  }
  if (left >= evaluations.length) return;
  throw new KernelBotError(
    "conflict",
    `evaluation session ${id} has ${left} of its ${formatCount(most, "evaluation")} left, and ${evaluations.length} more ${
      evaluations.length === 1 ? "is" : "are"
    } requested; open another session, or evaluate without one`,
    { fields },
  );
}
