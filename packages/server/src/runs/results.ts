/** Stages, cases and samples of an attempt, stored as they come. */
import { sql, type RawBuilder } from "kysely";
import type { JudgeEvent, Stage } from "@kernelbot/core";
import { jsonText } from "../db/json.ts";

interface Attempt {
  id: number;
  attempt: number;
}

/** SQL, as parts of a statement: what events say of stages. @param held A part whose row is there where the run is held. */
export function insertStages(run: Attempt, events: readonly JudgeEvent[], held: string): RawBuilder<unknown> {
  const stages = stagesOf(events);
  if (stages.length === 0) return sql``;
  return sql`stages as (
    insert into stage_result as s (run_id, attempt, stage, passed, duration_ns, output)
    select ${run.id}::bigint, ${run.attempt}::integer, e.stage, passed, "durationNs", output
    from ${sql.table(held)}, json_to_recordset(${jsonText(stages)}::text::json) as e (stage text, passed boolean,
      "durationNs" double precision, output json)
    on conflict (run_id, attempt, stage) do update set passed = coalesce(excluded.passed, s.passed),
      duration_ns = coalesce(excluded.duration_ns, s.duration_ns), output = coalesce(excluded.output, s.output)),`;
}

/** Their cases, after them; `held` as there. */
export function insertCases(run: Attempt, events: readonly JudgeEvent[], held: string): RawBuilder<unknown> {
  const cases = events.filter((event) => event.type === "case_finished");
  if (cases.length === 0) return sql``;
  return sql`cases as (
    insert into case_result (run_id, attempt, stage, index, parameters, status, message, mismatch, bytes, operations, rounds,
      summary, output_bytes)
    select ${run.id}::bigint, ${run.attempt}::integer, c.stage, index, "case", status, message, mismatch, bytes, operations,
      rounds, summary, "outputBytes"
    from ${sql.table(held)}, json_to_recordset(${jsonText(cases)}::text::json) as c (stage text, index integer, "case" json,
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
