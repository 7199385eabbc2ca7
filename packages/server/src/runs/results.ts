/** Stages, cases and samples of an attempt, stored as they come. */
import { sql, type Transaction } from "kysely";
import type { JudgeEvent, Stage } from "@kernelbot/core";
import { json, jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

interface Attempt {
  id: number;
  attempt: number;
}

export async function storeResults(
  transaction: Transaction<Tables>,
  run: Attempt,
  events: readonly JudgeEvent[],
): Promise<void> {
  const review = events.find((event) => event.type === "review");
  if (review !== undefined) {
    await transaction
      .updateTable("run")
      .set({ review: json(review.findings) })
      .where("id", "=", run.id)
      .execute();
  }
  if (!events.some((event) => "stage" in event)) return;
  await insertStages(run, events).execute(transaction);
  if (events.some((event) => event.type === "case_finished")) await insertCases(run, events).execute(transaction);
}

/** @param source Beside what the events come from: nothing is stored unless it has its row. */
export function insertStages(run: Attempt, events: readonly JudgeEvent[], source = sql`(select) as always`) {
  return sql`
    insert into stage_result as s (run_id, attempt, stage, passed, duration_ns, output)
    select ${run.id}::bigint, ${run.attempt}::integer, e.stage, passed, "durationNs", output
    from ${source}, json_to_recordset(${jsonText(stagesOf(events))}::text::json) as e (stage text, passed boolean,
      "durationNs" double precision, output json)
    on conflict (run_id, attempt, stage) do update set passed = coalesce(excluded.passed, s.passed),
      duration_ns = coalesce(excluded.duration_ns, s.duration_ns), output = coalesce(excluded.output, s.output)`;
}

/** After their stages, or with them; `source` as there. */
export function insertCases(run: Attempt, events: readonly JudgeEvent[], source = sql`(select) as always`) {
  const cases = events.filter((event) => event.type === "case_finished");
  return sql`
    insert into case_result (run_id, attempt, stage, index, parameters, status, message, mismatch, bytes, operations, rounds,
      summary, output_bytes)
    select ${run.id}::bigint, ${run.attempt}::integer, c.stage, index, "case", status, message, mismatch, bytes, operations,
      rounds, summary, "outputBytes"
    from ${source}, json_to_recordset(${jsonText(cases)}::text::json) as c (stage text, index integer, "case" json,
      status text, message text, mismatch json, bytes double precision, operations double precision, rounds json,
      summary json, "outputBytes" double precision)
    on conflict do nothing`;
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
