/** Traces from a submission to its verdict, with a minimal provider instead of an SDK, and without one. */
import { trace, TraceFlags, type Context, type Span, type SpanOptions, type Tracer } from "@opentelemetry/api";
import { beforeEach, expect, test } from "vitest";
import { claimed, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

interface Recorded {
  name: string;
  traceId: string;
  spanId: string;
  parent: string | undefined;
  attributes: SpanOptions["attributes"];
  ended: boolean;
}

let spans: Recorded[] = [];
const hex = (digits: number): string => String(spans.length + 1).padStart(digits, "0");

const tracer = {
  startSpan(name: string, { attributes }: SpanOptions = {}, within?: Context): Span {
    const parent = within && trace.getSpanContext(within);
    const traceId = parent?.traceId ?? hex(32);
    const recorded: Recorded = { name, traceId, spanId: hex(16), parent: parent?.spanId, attributes, ended: false };
    spans.push(recorded);
    const { spanId } = recorded;
    return Object.assign(trace.wrapSpanContext({ traceId, spanId, traceFlags: TraceFlags.SAMPLED }), {
      end: () => void (recorded.ended = true),
    });
  },
} as Tracer;

beforeEach(() => void (spans = []));

test("without an SDK no trace is stored or sent to the runner", async () => {
  await submitted(database, ann);
  expect(await claimed(database, box)).not.toHaveProperty("traceparent");
  expect(await database.sql`select from submission_trace`).toEqual([]);
});

test("submit, claim and verdict share one trace, which the runner continues, also in a retry", async () => {
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  try {
    const id = await submitted(database, ann);
    const run = await claimed(database, box);
    const [submit, claim] = spans as [Recorded, Recorded];
    expect(spans).toMatchObject([
      { name: "submit", parent: undefined, ended: true, attributes: { "kernelbot.board": "double" } },
      { name: "claim", parent: submit.spanId, ended: true, attributes: { "kernelbot.run": run.runId } },
    ]);
    expect(run.traceparent).toBe(`00-${submit.traceId}-${claim.spanId}-01`);
    await reported(database, box, run, passing("test"));
    expect(spans.at(-1)).toMatchObject({
      name: "verdict",
      traceId: submit.traceId,
      parent: submit.spanId,
      ended: true,
    });
    expect(spans.at(-1)?.attributes).toMatchObject({ "kernelbot.verdict": "passed" });
    const [row] = await database.sql`select traceparent from submission_trace where submission_id = ${id}`;
    expect(row?.["traceparent"]).toBe(`00-${submit.traceId}-${submit.spanId}-01`);
  } finally {
    trace.disable();
  }
});
