/** Reads evaluations with their results. Rewards are computed from the stored results, never stored. */
import {
  casesFor,
  evaluationFeedback,
  formatAvailability,
  EVALUATION_PRIORITIES,
  KernelBotError,
  machineName,
  RESULTS_PAGE,
  rewardOf,
  type CaseFinished,
  type Evaluation,
  type EvaluationBatch,
  type EvaluationOutcome,
  type Machine,
  type NumberedEvaluation,
  type Problem,
  type RunState,
  type SessionBudget,
  type SpeedupInterval,
} from "@kernelbot/core";
import { sql, type RawBuilder, type Selectable } from "kysely";
import { hasRole, type Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { readProblemVersion } from "../problems/problems.ts";
import { readAvailabilities } from "../queue/availability.ts";
import { budgetOf, type BudgetRow } from "./sessions/budget-columns.ts";

type EvaluationRow = Pick<
  Selectable<Tables["evaluation"]>,
  | "id"
  | "level"
  | "rule"
  | "priority"
  | "tags"
  | "cached"
  | "created_at"
  | "ended_at"
  | "ended_number"
  | "submission_id"
  | "batch_id"
  | "session_id"
>;
type RunRow = Pick<
  Selectable<Tables["run"]>,
  | "target"
  | "verdict"
  | "failure_class"
  | "noisy"
  | "message"
  | "detail"
  | "validation"
  | "speedup"
  | "speedup_low"
  | "speedup_high"
  | "started_at"
  | "finished_at"
  | "problem_version"
  | "unsandboxed"
>;

type Row = EvaluationRow &
  RunRow &
  Nullable<BudgetRow> & {
    state: Selectable<Tables["evaluation"]>["state"];
    run_state: RunState;
    problem: string;
    machine: Machine | null;
    passed: number;
    failed: Pick<CaseFinished, "stage" | "index" | "case" | "message" | "mismatch"> | null;
  };

type Nullable<T> = { [K in keyof T]: T[K] | null };

/**
 * Returns an evaluation of the caller, or any for an administrator.
 * @throws KernelBotError `not_found`.
 */
export async function readEvaluation(database: Database, identity: Identity, id: number): Promise<Evaluation> {
  const [found] = await readEvaluations(database, sql`e.id = ${id}::bigint and ${visible(identity)}`);
  if (found === undefined) throw noEvaluation(id);
  return found.evaluation;
}

/**
 * Returns a batch of the caller, or any for an administrator, with its results after a number.
 * @throws KernelBotError `not_found`.
 */
export async function readBatch(
  database: Database,
  identity: Identity,
  id: number,
  after: number,
): Promise<EvaluationBatch> {
  const { rows } = await sql<{ size: number; ended: number }>`
    select size, ended from evaluation_batch e where id = ${id}::bigint and ${visible(identity)}`.execute(database.db);
  const batch = rows[0];
  if (batch === undefined) throw new KernelBotError("not_found", `batch ${id} of evaluations not found`);
  const found =
    batch.ended <= after
      ? []
      : await readEvaluations(
          database,
          sql`e.batch_id = ${id}::bigint and e.ended_number > ${after}::integer
            and e.ended_number <= ${after + RESULTS_PAGE}::integer`,
        );
  const results = found.flatMap(({ evaluation, number }): NumberedEvaluation[] =>
    number === null ? [] : [{ ...evaluation, number }],
  );
  return { id, size: batch.size, ended: batch.ended, results: results.toSorted((a, b) => a.number - b.number) };
}

/** SQL: whether an evaluation or batch `e` exists for the caller. */
export function visible(identity: Identity): RawBuilder<boolean> {
  return sql<boolean>`(e.account_id = ${identity.account.id} or ${hasRole(identity, "administrator")}::boolean)`;
}

export function noEvaluation(id: number): KernelBotError {
  return new KernelBotError("not_found", `evaluation ${id} not found`);
}

/** Reads the evaluations `e` that a condition selects, each with its number in its batch. */
export async function readEvaluations(
  database: Database,
  where: RawBuilder<unknown>,
): Promise<{ evaluation: Evaluation; number: number | null }[]> {
  const { rows } = await sql<Row>`
    select e.id, e.level, e.rule, e.priority, e.tags, e.cached, e.created_at, e.ended_at, e.ended_number, e.state,
      e.submission_id, e.batch_id, problem_reference(s.problem, s.problem_version) as problem, r.target, r.state as run_state, r.verdict, r.failure_class, r.message,
      r.detail, r.validation, r.speedup, r.speedup_low, r.speedup_high, r.noisy, r.started_at, r.finished_at, r.problem_version, r.unsandboxed,
      m.description as machine, cases.passed, cases.failed, e.session_id, ${budgetOf("es")}
    from evaluation e join submission s on s.id = e.submission_id join run r on r.submission_id = e.submission_id
    left join machine m on m.hash = r.machine_hash left join evaluation_session es on es.id = e.session_id
    cross join lateral (
      select count(*) filter (where c.status = 'passed')::integer as passed,
        (array_agg(json_build_object('stage', c.stage, 'index', c.index, 'case', c.parameters, 'message', c.message,
          'mismatch', c.mismatch) order by c.stage desc, c.index) filter (where c.status = 'failed'))[1] as failed
      from case_result c where c.run_id = r.id and c.attempt = r.attempt
    ) cases
    where ${where}`.execute(database.db);
  const availabilities = rows.some(isQueued) ? await readAvailabilities(database) : null;
  return Promise.all(
    rows.map(async (row) => {
      const problem = await readProblemVersion(database, row.problem_version);
      if (problem === null) throw new KernelBotError("internal", `version ${row.problem_version} is missing`);
      const runners = isQueued(row) ? availabilities?.(row.target) : undefined;
      const queueReason = runners === undefined ? null : formatAvailability(row.target, runners, new Date());
      return { evaluation: { ...toEvaluation(row, problem), queueReason }, number: row.ended_number };
    }),
  );
}

function isQueued({ state, run_state }: Row): boolean {
  return state === "open" && run_state !== "running";
}

function toEvaluation(row: Row, problem: Problem): Omit<Evaluation, "queueReason"> {
  const isDone = row.state === "done";
  const outcome = isDone ? outcomeOf(row) : null;
  const result = {
    level: row.level,
    outcome,
    passed: isDone ? row.passed : 0,
    total: totalOf(row, problem),
    speedup: isDone ? speedupOf(row) : null,
  };
  const { message, detail, failed } = row;
  return {
    ...result,
    id: row.id,
    problem: row.problem,
    target: row.target,
    priority: EVALUATION_PRIORITIES[row.priority - 1] ?? "training",
    tags: row.tags,
    state: isQueued(row) ? "queued" : row.state === "open" ? "running" : row.state,
    reward: rewardOf(row.rule, result),
    rule: row.rule,
    feedback: outcome === null ? null : evaluationFeedback({ ...result, outcome, message, detail, failed }),
    cached: row.cached,
    session: budgetLeft(row),
    unsandboxed: row.unsandboxed,
    legacyHarness: problem.spec.harness === "legacy",
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    queueMs: row.started_at === null ? null : Math.max(0, row.started_at.getTime() - row.created_at.getTime()),
    judgeMs: isDone && row.started_at && row.finished_at ? row.finished_at.getTime() - row.started_at.getTime() : null,
    versions: {
      problem: row.problem_version,
      tester: row.machine?.testerVersion ?? null,
      machine: row.machine === null ? null : machineName(row.machine),
    },
  };
}

function budgetLeft({ session_id: id, evaluations_left, seconds_left }: Row): SessionBudget | null {
  if (id === null || evaluations_left === null || seconds_left === null) return null;
  return { id, evaluationsLeft: evaluations_left, secondsLeft: seconds_left };
}

function outcomeOf({ verdict, failure_class, noisy }: Row): EvaluationOutcome | null {
  if (noisy) return "noisy";
  return verdict === "failed" ? failure_class : verdict;
}

function speedupOf({ verdict, noisy, validation, speedup, speedup_low, speedup_high }: Row): SpeedupInterval | null {
  if (validation !== null) {
    const inUse = verdict === "passed" ? validation.speedup : null;
    return inUse && { low: inUse.low, mid: inUse.value, high: inUse.high };
  }
  if (noisy || speedup === null || speedup_low === null || speedup_high === null) return null;
  return { low: speedup_low, mid: speedup, high: speedup_high };
}

function totalOf({ level, target }: Row, { spec }: Problem): number {
  const { cases = [], hiddenCases = [] } = spec.application ?? {};
  if (level === "application") return cases.length + hiddenCases.length;
  const { tests, benchmarks } = casesFor(spec, target);
  return level === "compile" ? 0 : tests.length + (level === "reward" ? benchmarks.length : 0);
}
