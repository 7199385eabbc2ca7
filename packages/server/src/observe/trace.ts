/**
 * OpenTelemetry spans of submissions. Without an SDK, which an operator loads by `node --import`, spans do nothing:
 * none is recorded and no context is stored.
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
 * Runs an action in a span.
 * @param parent `traceparent` (W3C Trace Context) of the parent span; undefined for the active one.
 */
export async function withSpan<T>(
  name: string,
  { parent, attributes }: { parent?: string | null; attributes: Attributes },
  act: (span: Span) => Promise<T>,
): Promise<T> {
  const around = contextOf(parent);
  const span = tracer.startSpan(name, { attributes }, around);
  try {
    return await context.with(trace.setSpan(around, span), () => act(span));
  } catch (error) {
    // Only the message, because the cause may contain untrusted text.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Records a span that ends now, and returns its `traceparent` (or that of its parent when spans are not recorded). */
export function recordSpan(
  name: string,
  { parent, attributes, startedAt }: { parent: string | null; attributes: Attributes; startedAt: Date },
): string | null {
  const span = tracer.startSpan(name, { attributes, startTime: startedAt }, contextOf(parent));
  span.end();
  return traceparentOf(span) ?? parent;
}

/** Returns the `traceparent` of a span for another process; null if the span is not recorded. */
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
