/** Results of the problem's application: for each source, problem version and target, whether the kernel works in use. */
import { sql, type Transaction } from "kysely";
import {
  applicationCases,
  hiddenCase,
  type Application,
  type Case,
  type InUse,
  type Validation,
  type VerdictEvent,
} from "@kernelbot/core";
import type { z } from "zod";
import { json } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

/**
 * Stores the result of a finished run of mode `application` for its source. A failure stays until an organiser has the
 * source checked again: otherwise a kernel that fails now and then would be validated by asking often. Stores nothing
 * if the run was not judged, or its problem is an uploaded one, which has no board.
 */
export async function storeApplicationResult(
  transaction: Transaction<Tables>,
  runId: number,
  ending: Pick<z.infer<typeof VerdictEvent>, "verdict" | "message" | "validation">,
): Promise<void> {
  if (ending.verdict === "infra_error") return;
  const validation = ending.validation ?? withoutCases(ending.message);
  const isValidated = ending.verdict === "passed" && validation.state === "validated";
  await sql`
    insert into application_result as r (code_hash, language, problem_version, target, validation, is_validated, unsandboxed)
    select s.code_hash, language_of(s.file_name), run.problem_version, run.target, ${json(validation)}, ${isValidated}::boolean, run.unsandboxed
    from run join submission s on s.id = run.submission_id where run.id = ${runId}::bigint and s.problem is not null
    on conflict (code_hash, problem_version, target, language) do update set validation = excluded.validation,
      is_validated = excluded.is_validated, unsandboxed = excluded.unsandboxed, checked_at = excluded.checked_at
    where r.is_validated or not excluded.is_validated`.execute(transaction);
}

/**
 * Stores a failure for a run of mode `application` that is cancelled after a case failed: its account follows the cases,
 * and could otherwise repeat the run until all hold.
 */
export async function storeCancelledResult(transaction: Transaction<Tables>, runId: number): Promise<void> {
  const { rows } = await sql<{ message: string | null }>`
    select c.message from run join case_result c on c.run_id = run.id and c.attempt = run.attempt
    where run.id = ${runId}::bigint and c.stage = 'application' and c.status = 'failed'
    order by c.index limit 1`.execute(transaction);
  if (rows[0] !== undefined)
    await storeApplicationResult(transaction, runId, { verdict: "failed", message: rows[0].message });
}

/** Returns the result of a run that failed before the application started, such as by a compile error. */
function withoutCases(message: string | null): Validation {
  return { state: "not_validated", reason: message, held: 0, cases: [], speedup: null };
}

/** A stored result as JSON of PostgreSQL, whose times `toInUse` converts. */
export type InUseColumn = {
  validation: Validation;
  unsandboxed: boolean;
  checkedAt: string;
  /** Null for a version without an application. */
  application: Pick<Application, "cases" | "atBenchmarks"> | null;
  /** Those of the target. */
  benchmarks: Case[];
} | null;

/** SQL: the result of the application for the source of `submission` on the board of `run`; null if there is none. */
export const IN_USE = sql<InUseColumn>`(
    select json_build_object('validation', a.validation, 'unsandboxed', a.unsandboxed, 'checkedAt', a.checked_at,
      'application', v.spec -> 'application',
      'benchmarks', coalesce(v.spec #> array['targets', run.target, 'benchmarks'], v.spec -> 'benchmarks'))
    from find_application_result(submission.code_hash, submission.file_name, run.problem_version, run.target) a
    join problem_version v on v.hash = a.problem_version
  )`.as("in_use");

export function toInUse(column: InUseColumn): InUse | null {
  if (column === null) return null;
  const { validation, unsandboxed, checkedAt, application, benchmarks } = column;
  // The hidden ones follow them.
  const parameters = application === null ? [] : applicationCases(application, benchmarks);
  const cases = validation.cases.map((one, index) => ({
    ...one,
    case: one.hidden === undefined ? withoutSeed(parameters[index] ?? {}) : hiddenCase(one.hidden),
  }));
  return { ...validation, cases, unsandboxed, checkedAt: new Date(checkedAt).toISOString() };
}

/** The judge draws the seeds, so those of the problem mean nothing. */
function withoutSeed(parameters: Case): Case {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => name !== "seed"));
}
