/** Context of the current HTTP request, for log lines. */
import { AsyncLocalStorage } from "node:async_hooks";
import { trace } from "@opentelemetry/api";

const request = new AsyncLocalStorage<string>();

export function withRequest<T>(id: string, answer: () => T): T {
  return request.run(id, answer);
}

/** Returns the request id, and the trace id if a trace is recorded, for every log line. */
export function aboutRequest(): { requestId?: string; traceId?: string } {
  const requestId = request.getStore();
  const traceId = trace.getActiveSpan()?.spanContext().traceId;
  return { ...(requestId !== undefined && { requestId }), ...(traceId !== undefined && { traceId }) };
}
