/**
 * Traces of profilers in the Chrome format: an array of events, or an object that contains it. Written in the
 * submission's process, so their content is untrusted.
 */
import { z } from "zod";

/** Maximum size of a trace, in bytes of JSON. The tester omits longer ones. */
export const MAX_TRACE_BYTES = 16 * 1024 * 1024;

const Place = z.union([z.string(), z.number()]).default("");

const TraceEvent = z.object({
  name: z.string(),
  /** Category, such as `cpu_op` or `kernel`; empty in traces of older versions of PyTorch. */
  cat: z.string().default(""),
  /** Start in microseconds, from any origin. */
  ts: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  /** Duration in microseconds. */
  dur: z.number().min(0).max(1e12),
  /** Process or device. */
  pid: Place,
  /** Thread or stream. */
  tid: Place,
});
/** Timed call in a trace. */
export type TraceEvent = z.infer<typeof TraceEvent>;

const Trace = z.union([z.array(z.unknown()), z.object({ traceEvents: z.array(z.unknown()) })]);

/** Returns the timed calls of a trace; invalid events are skipped. Null if the value is not a trace. */
export function parseTrace(value: unknown): TraceEvent[] | null {
  const trace = Trace.safeParse(value);
  if (!trace.success) return null;
  const events = Array.isArray(trace.data) ? trace.data : trace.data.traceEvents;
  return events.flatMap((event) => (isTimed(event) ? (TraceEvent.safeParse(event).data ?? []) : []));
}

/**
 * Returns whether an event is complete, with a start and a duration, unlike metadata and flows. Faster than the schema, by
 * which millions of invalid events would take longer than the timeout of a thread.
 */
function isTimed(event: unknown): boolean {
  return typeof event === "object" && event !== null && "ph" in event && event.ph === "X";
}

/** Categories of events on a device, in lower case, with the names of older versions of PyTorch. */
const DEVICE_CATEGORIES = new Set(["kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"]);
/** Categories of ranges that are not calls of a thread: the profiler's own, and those that repeat a range of the CPU. */
const RANGE_CATEGORIES = new Set(["trace", "gpu_user_annotation", "overhead"]);

/** Returns where an event ran; null for ranges that are not calls. */
export function processorOf({ cat }: TraceEvent): "device" | "cpu" | null {
  const category = cat.toLowerCase();
  if (DEVICE_CATEGORIES.has(category)) return "device";
  return RANGE_CATEGORIES.has(category) ? null : "cpu";
}
