/**
 * Spans of OpenTelemetry on the way of a submission. Without an SDK, which an operator loads by `node --import`, they are
 * nothing: no span is made that records, and no context is stored.
 */
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from "@opentelemetry/api";

const tracer = trace.getTracer("kernelbot");

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Does something within a span.
 * @param parent The `traceparent` (W3C Trace Context) that it continues; undefined for what is active here.
 */
export async function spanned<T>(
  name: string,
  { parent, attributes }: { parent?: string | null; attributes: Attributes },
  act: (span: Span) => Promise<T>,
): Promise<T> {
  const around = contextOf(parent);
  const span = tracer.startSpan(name, { attributes }, around);
  try {
    return await context.with(trace.setSpan(around, span), () => act(span));
  } catch (error) {
    // The sentence alone: its cause may hold what a stranger wrote.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Notes what is over by now, and gives what continues it. */
export function noted(
  name: string,
  { parent, attributes, startedAt }: { parent: string | null; attributes: Attributes; startedAt: Date },
): string | null {
  const span = tracer.startSpan(name, { attributes, startTime: startedAt }, contextOf(parent));
  span.end();
  return traceparentOf(span) ?? parent;
}

/** Names a span for another process; null for one that nobody records. */
export function traceparentOf(span: Span): string | null {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return null;
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function contextOf(parent: string | null | undefined): Context {
  if (parent === undefined) return context.active();
  const [, traceId, spanId, flags] = TRACEPARENT.exec(parent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const remote = { traceId, spanId, traceFlags: parseInt(flags ?? "0", 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
}
