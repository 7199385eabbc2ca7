/** Stores the reported events of an attempt: stages, cases and samples, log entries, and the new state of the run. */
import { sql, type Kysely, type RawBuilder, type UpdateObject } from "kysely";
import { CaseFinished, isHiddenCase, type JudgeEvent, type Stage } from "@kernelbot/core";
import { asyncCommit } from "../db/commit.ts";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { appendQuery, appendEndsQuery, notifyReaders, type LogEntry } from "./log.ts";

interface Attempt {
  id: number;
  attempt: number;
}

/** Changes to a run that are stored together with its events. */
export interface Change {
  set: UpdateObject<Tables, "run">;
  /** SQL condition: the run is still leased to the runner. Default: true, because the caller has checked it. */
  leased?: RawBuilder<unknown>;
  /** Log entries to append after those of the events. */
  entries?: readonly LogEntry[];
  /** Whether this ends the run, and the log if it was the last run; same requirements as `appendEnds`. */
  ends?: boolean;
  /** SQL to execute in the same statement. */
  also?: RawBuilder<unknown> | undefined;
}

/**
 * Stores events of an attempt and the changes to its run, in one statement.
 * @returns the number of stored events of the attempt; null if the run is no longer leased to the runner.
 */
export async function storeEvents(
  db: Kysely<Tables>,
  run: Attempt,
  events: readonly JudgeEvent[],
  { set, leased = sql`true`, entries = [], ends = false, also }: Change,
): Promise<number | null> {
  const all = [...events.flatMap((event) => entryOf(run, event)), ...entries];
  const submission = sql<number>`(select submission_id from leased)`;
  const log = ends ? appendEndsQuery(submission, all, run.id) : appendQuery(submission, all);
  const isSilent = all.length === 0;
  const { rows } = await sql<{ reported: number }>`
    with leased as (
      update run set reported = reported + ${events.length}::integer, ${assignments(set)}
      where id = ${run.id}::bigint and ${leased}
      returning submission_id, reported
    ), ${insertStages(run, events)}
    ${insertCases(run, events)} ${also === undefined ? sql`` : sql`also as (${also}),`}
    ${isSilent ? sql`numbered as (select)` : log}
    select leased.reported, ${asyncCommit()}, ${isSilent ? sql`null` : notifyReaders(sql`leased.submission_id`)}
    from leased, numbered`.execute(db);
  return rows[0]?.reported ?? null;
}

function assignments(set: Change["set"]): RawBuilder<unknown> {
  return sql.join(Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

const ShownCase = CaseFinished.omit({ rounds: true });

/**
 * Returns the log entry of an event: none for the verdict, which has its own entry. Samples are left out; they are read
 * with the run. Nothing shows when a hidden case ended, which depends on its sizes: its event is left out, and the
 * progress of its stage, which counts cases.
 */
function entryOf({ id: runId, attempt }: Attempt, event: JudgeEvent): LogEntry[] {
  if (event.type === "verdict") return [];
  if (event.type === "progress" && event.stage === "application") return [];
  if (event.type === "case_finished" && event.stage === "application" && isHiddenCase(event.case)) return [];
  if (event.type !== "case_finished") return [{ runId, attempt, event }];
  return [{ runId, attempt, event: ShownCase.parse(event) }];
}

/** SQL: CTEs that store the stages of the events. */
function insertStages(run: Attempt, events: readonly JudgeEvent[]): RawBuilder<unknown> {
  const stages = stagesOf(events);
  if (stages.length === 0) return sql``;
  return sql`stages as (
    insert into stage_result as s (run_id, attempt, stage, passed, duration_ns, output)
    select ${run.id}::bigint, ${run.attempt}::integer, e.stage, passed, "durationNs", output
    from leased, json_to_recordset(${jsonText(stages)}::text::json) as e (stage text, passed boolean,
      "durationNs" double precision, output json)
    on conflict (run_id, attempt, stage) do update set passed = coalesce(excluded.passed, s.passed),
      duration_ns = coalesce(excluded.duration_ns, s.duration_ns), output = coalesce(excluded.output, s.output)),`;
}

/** SQL: CTEs that store the cases of the events. */
function insertCases(run: Attempt, events: readonly JudgeEvent[]): RawBuilder<unknown> {
  const cases = events.filter((event) => event.type === "case_finished");
  if (cases.length === 0) return sql``;
  return sql`cases as (
    insert into case_result (run_id, attempt, stage, index, parameters, status, message, mismatch, bytes, operations, rounds,
      summary, output_bytes, stopped, errors)
    select ${run.id}::bigint, ${run.attempt}::integer, c.stage, index, "case", status, message, mismatch, bytes, operations,
      rounds, summary, "outputBytes", stopped, errors
    from leased, json_to_recordset(${jsonText(cases)}::text::json) as c (stage text, index integer, "case" json,
      status text, message text, mismatch json, bytes double precision, operations double precision, rounds json,
      summary json, "outputBytes" double precision, stopped text, errors json)
    on conflict do nothing),`;
}

/** Returns the columns of each stage that the events contain. Absent values are omitted. */
function stagesOf(events: readonly JudgeEvent[]): Record<string, unknown>[] {
  const stages = new Map<Stage, Record<string, unknown>>();
  for (const event of events) {
    if (!("stage" in event)) continue;
    const row = stages.get(event.stage) ?? { stage: event.stage };
    stages.set(event.stage, row);
    if (event.type === "stage_finished") Object.assign(row, { passed: event.passed, durationNs: event.durationNs });
    if (event.type === "output") {
      row["output"] = { head: event.head, tail: event.tail, droppedBytes: event.droppedBytes };
    }
  }
  return [...stages.values()];
}
