/** Stages, cases and samples of an attempt, stored as they come. */
import { sql, type Transaction } from "kysely";
import type { JudgeEvent } from "@kernelbot/core";
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
  const stages = [...new Set(events.flatMap((event) => ("stage" in event ? [event.stage] : [])))];
  if (stages.length === 0) return;
  await sql`
    insert into stage_result (run_id, attempt, stage)
    select ${run.id}::bigint, ${run.attempt}::integer, stage from unnest(${stages}::text[]) as s (stage)
    on conflict do nothing`.execute(transaction);
  for (const event of events) {
    if (event.type !== "stage_finished" && event.type !== "output") continue;
    const change =
      event.type === "stage_finished"
        ? { passed: event.passed, duration_ns: event.durationNs }
        : { output: json({ head: event.head, tail: event.tail, droppedBytes: event.droppedBytes }) };
    await transaction
      .updateTable("stage_result")
      .set(change)
      .where("run_id", "=", run.id)
      .where("attempt", "=", run.attempt)
      .where("stage", "=", event.stage)
      .execute();
  }
  const cases = events.filter((event) => event.type === "case_finished");
  if (cases.length === 0) return;
  await sql`
    insert into case_result (run_id, attempt, stage, index, parameters, status, message, mismatch, bytes, operations, rounds,
      summary, output_bytes)
    select ${run.id}::bigint, ${run.attempt}::integer, stage, index, "case", status, message, mismatch, bytes, operations, rounds,
      summary, "outputBytes"
    from json_to_recordset(${jsonText(cases)}::text::json) as c (stage text, index integer, "case" json, status text,
      message text, mismatch json, bytes double precision, operations double precision, rounds json, summary json,
      "outputBytes" double precision)
    on conflict do nothing`.execute(transaction);
}
