/** Calls of a profiler's trace by thread and stream. */
import { oneLine, sanitize } from "../text/text.ts";
import { nestCalls, type NestedCall } from "./call-nesting.ts";
import { processorOf, type TraceEvent } from "./trace.ts";

/** Maximum number of characters of a name. */
const NAME_LENGTH = 160;

/** Thread of the CPU, or stream of a device. */
export interface CallTrack {
  processor: "device" | "cpu";
  pid: string;
  tid: string;
  /** Calls by start. */
  nested: NestedCall<TraceEvent>[];
  /** Whether calls that overlap contain each other. */
  isNested: boolean;
}

export function callTracks(events: readonly TraceEvent[]): CallTrack[] {
  const tracks = new Map<string, Omit<CallTrack, "nested" | "isNested"> & { calls: TraceEvent[] }>();
  for (const event of events) {
    const { pid, tid } = event;
    const processor = processorOf(event);
    if (processor === null) continue;
    const key = JSON.stringify([processor, pid, tid]);
    const track = tracks.get(key) ?? { processor, pid: String(pid), tid: String(tid), calls: [] };
    track.calls.push(event);
    tracks.set(key, track);
  }
  return [...tracks.values()].map(({ calls, ...track }) => ({ ...track, ...nestCalls(calls) }));
}

/** Sanitizes and shortens a name from a trace. */
export function displayedName(name: string): string {
  const clean = oneLine(sanitize(name.slice(0, 4 * NAME_LENGTH)));
  if (clean === "") return "(no name)";
  return (clean.length <= NAME_LENGTH ? clean : `${clean.slice(0, NAME_LENGTH)}…`).toWellFormed();
}
