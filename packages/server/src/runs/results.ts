/** What an attempt reports, stored as it comes: stages, cases and samples, the log, and what becomes of the run. */
import { sql, type Kysely, type RawBuilder, type UpdateObject } from "kysely";
import { CaseFinished, type JudgeEvent, type Stage } from "@kernelbot/core";
import { commitsSoon } from "../db/commit.ts";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { appending, appendingEnds, told, type Entry } from "./log.ts";

interface Attempt {
  id: number;
  attempt: number;
}

/** What becomes of a run by what is stored of it. */
export interface Change {
  set: UpdateObject<Tables, "run">;
  /** SQL: whether the run is still its runner's; without it that is known already. */
  held?: RawBuilder<unknown>;
  /** What the log tells after what the events say. */
  entries?: readonly Entry[];
  /** That the run ends with this, and the log too where it was the last: as `appendEnds` does it, with what that asks for. */
  ends?: boolean;
  /** SQL: what else is done with it. */
  also?: RawBuilder<unknown> | undefined;
}

/**
 * Stores events of an attempt, and what becomes of its run, all in one statement.
 * @returns how many events of the attempt are stored now; null where the run is not its runner's any more.
 */
export async function store(
  db: Kysely<Tables>,
  run: Attempt,
  events: readonly JudgeEvent[],
  { set, held = sql`true`, entries = [], ends = false, also }: Change,
): Promise<number | null> {
  const all = [...events.flatMap((event) => entryOf(run, event)), ...entries];
  const submission = sql<number>`(select submission_id from held)`;
  const log = ends ? appendingEnds(submission, all, run.id) : appending(submission, all);
  const isSilent = all.length === 0;
  const { rows } = await sql<{ reported: number }>`
    with held as (
      update run set reported = reported + ${events.length}::integer, ${assignments(set)}
      where id = ${run.id}::bigint and ${held}
      returning submission_id, reported
    ), ${insertStages(run, events)}
    ${insertCases(run, events)} ${also === undefined ? sql`` : sql`also as (${also}),`}
    ${isSilent ? sql`numbered as (select)` : log}
    select held.reported, ${commitsSoon()}, ${isSilent ? sql`null` : told(sql`held.submission_id`)}
    from held, numbered`.execute(db);
  return rows[0]?.reported ?? null;
}

function assignments(set: Change["set"]): RawBuilder<unknown> {
  return sql.join(Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

const ShownCase = CaseFinished.omit({ rounds: true });

/** What the log shows of an event: the verdict has an entry of its own, and samples are read with the run. */
function entryOf({ id: runId, attempt }: Attempt, event: JudgeEvent): Entry[] {
  if (event.type === "verdict") return [];
  if (event.type !== "case_finished") return [{ runId, attempt, event }];
  return [{ runId, attempt, event: ShownCase.parse(event) }];
}

/** SQL, as parts of a statement: what events say of stages. */
function insertStages(run: Attempt, events: readonly JudgeEvent[]): RawBuilder<unknown> {
  const stages = stagesOf(events);
  if (stages.length === 0) return sql``;
  return sql`stages as (
    insert into stage_result as s (run_id, attempt, stage, passed, duration_ns, output)
    select ${run.id}::bigint, ${run.attempt}::integer, e.stage, passed, "durationNs", output
    from held, json_to_recordset(${jsonText(stages)}::text::json) as e (stage text, passed boolean,
      "durationNs" double precision, output json)
    on conflict (run_id, attempt, stage) do update set passed = coalesce(excluded.passed, s.passed),
      duration_ns = coalesce(excluded.duration_ns, s.duration_ns), output = coalesce(excluded.output, s.output)),`;
}

/** Their cases, after them. */
function insertCases(run: Attempt, events: readonly JudgeEvent[]): RawBuilder<unknown> {
  const cases = events.filter((event) => event.type === "case_finished");
  if (cases.length === 0) return sql``;
  return sql`cases as (
    insert into case_result (run_id, attempt, stage, index, parameters, status, message, mismatch, bytes, operations, rounds,
      summary, output_bytes)
    select ${run.id}::bigint, ${run.attempt}::integer, c.stage, index, "case", status, message, mismatch, bytes, operations,
      rounds, summary, "outputBytes"
    from held, json_to_recordset(${jsonText(cases)}::text::json) as c (stage text, index integer, "case" json,
      status text, message text, mismatch json, bytes double precision, operations double precision, rounds json,
      summary json, "outputBytes" double precision)
    on conflict do nothing),`;
}

/** What events say of each stage, by its column; what they do not say is left out. */
function stagesOf(events: readonly JudgeEvent[]): Record<string, unknown>[] {
  const stages = new Map<Stage, Record<string, unknown>>();
  for (const event of events) {
    if (!("stage" in event)) continue;
    const said = stages.get(event.stage) ?? { stage: event.stage };
    stages.set(event.stage, said);
    if (event.type === "stage_finished") Object.assign(said, { passed: event.passed, durationNs: event.durationNs });
    if (event.type === "output") {
      said["output"] = { head: event.head, tail: event.tail, droppedBytes: event.droppedBytes };
    }
  }
  return [...stages.values()];
}
