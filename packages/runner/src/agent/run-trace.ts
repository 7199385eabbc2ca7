/**
 * Spans of a run and its stages in the submission's trace. Without an OpenTelemetry SDK, loaded by `node --import`,
 * this is a no-op.
 */
import { ROOT_CONTEXT, trace, type Context, type Span } from "@opentelemetry/api";
import type { Claimed, JudgeEvent } from "@kernelbot/core";

const tracer = trace.getTracer("kernelbot");

interface RunTrace {
  /** Records an event of the judge; called in order. */
  record(event: JudgeEvent): void;
  end(how: string): void;
}

/** Starts the span of a run, as a child of its claim's span if the server records one. */
export function traceRun({ runId, attempt, target, mode, traceparent }: Claimed): RunTrace {
  const attributes = { "kernelbot.run": runId, "kernelbot.attempt": attempt, "kernelbot.target": target };
  const span = tracer.startSpan(
    "run",
    { attributes: { ...attributes, "kernelbot.mode": mode } },
    parentContext(traceparent),
  );
  const runContext = trace.setSpan(ROOT_CONTEXT, span);
  let stage: Span | undefined;
  return {
    record(event) {
      if (event.type === "stage_started") {
        stage = tracer.startSpan(
          `stage ${event.stage}`,
          { attributes: { "kernelbot.cases": event.cases } },
          runContext,
        );
      } else if (event.type === "stage_finished") {
        stage?.setAttribute("kernelbot.passed", event.passed).end();
        stage = undefined;
      } else if (event.type === "verdict") {
        span.setAttribute("kernelbot.verdict", event.verdict);
      }
    },
    end(how) {
      stage?.end();
      span.setAttribute("kernelbot.ending", how).end();
    },
  };
}

/** Returns the context of the claim's span (W3C Trace Context); the root context without one. */
function parentContext(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent?.split("-") ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: parseInt(flags ?? "0", 16),
    isRemote: true,
  });
}
