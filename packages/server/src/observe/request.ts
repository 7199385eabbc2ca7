/** The request that is being answered, for whatever is said to the log meanwhile. */
import { AsyncLocalStorage } from "node:async_hooks";
import { trace } from "@opentelemetry/api";

const request = new AsyncLocalStorage<string>();

export function withRequest<T>(id: string, answer: () => T): T {
  return request.run(id, answer);
}

/** What every line of the log has of it: the request's id, and the trace's where one is recorded. */
export function aboutRequest(): { requestId?: string; traceId?: string } {
  const requestId = request.getStore();
  const traceId = trace.getActiveSpan()?.spanContext().traceId;
  return { ...(requestId !== undefined && { requestId }), ...(traceId !== undefined && { traceId }) };
}
