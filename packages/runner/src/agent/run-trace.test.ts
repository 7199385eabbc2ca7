/** The runner's spans, with a small provider in place of an SDK. */
import { trace, type Context, type Span, type Tracer } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { Claimed } from "@kernelbot/core";
import { traceRun } from "./run-trace.ts";

afterEach(() => trace.disable());

test("the run's span is a child of the claim's, stages are children of the run's, and an aborted stage ends with the run", () => {
  const lines: string[] = [];
  const tracer = {
    startSpan(name: string, _: unknown, within?: Context): Span {
      const parent = within && trace.getSpanContext(within);
      const traceId = parent?.traceId ?? "none";
      lines.push(`${name} within ${parent?.spanId} of ${traceId}`);
      const span: Span = Object.assign(trace.wrapSpanContext({ traceId, spanId: name, traceFlags: 1 }), {
        setAttribute: (key: string, value: unknown) => (lines.push(`${name}: ${key} ${String(value)}`), span),
        end: () => void lines.push(`${name} ends`),
      });
      return span;
    },
  } as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  const [traceId, claim] = ["a".repeat(32), "b".repeat(16)];
  const run = Claimed.parse({
    ...{ runId: 7, attempt: 2, leaseMs: 1000, mode: "test", target: "cpu", problemVersion: "", source: "" },
    ...{ seed: "0".repeat(64), account: "ann", traceparent: `00-${traceId}-${claim}-01` },
  });
  const traced = traceRun(run);
  traced.record({ type: "stage_started", stage: "prepare", cases: 0 });
  traced.record({ type: "stage_finished", stage: "prepare", passed: true, durationNs: 1 });
  traced.record({ type: "stage_started", stage: "test", cases: 3 });
  traced.record({ type: "verdict", verdict: "failed", failureClass: "timeout", message: null, detail: null });
  traced.end("delivered");
  expect(lines).toEqual([
    `run within ${claim} of ${traceId}`,
    `stage prepare within run of ${traceId}`,
    "stage prepare: kernelbot.passed true",
    "stage prepare ends",
    `stage test within run of ${traceId}`,
    "run: kernelbot.verdict failed",
    "stage test ends",
    "run: kernelbot.ending delivered",
    "run ends",
  ]);
});
