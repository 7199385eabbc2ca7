/** Timeline of a profiler's trace: its longest calls by thread and stream. */
import { z } from "zod";
import type { NestedCall } from "./call-nesting.ts";
import { displayedName, type CallTrack } from "./profile-tracks.ts";
import type { TraceEvent } from "./trace.ts";

/** Maximum number of rows, and of calls that have a bar of their own. */
export const SHOWN_TRACKS = 8;
export const SHOWN_CALLS = 400;
/** Number of levels of contained calls that are drawn. */
const SHOWN_DEPTH = 4;
/** Short calls whose distance is a smaller part of the timeline are merged into one bar. */
const MERGED_DISTANCE = 1 / 100;

export const TimelineBar = z.object({
  /** Name of the call, sanitized and shortened; null for several short calls that are merged. */
  name: z.string().nullable(),
  /** Number of calls: 1, or more where short calls are merged. */
  calls: z.int(),
  /** Start from that of the timeline, in microseconds. */
  startUs: z.number(),
  durationUs: z.number(),
  /** Number of calls that contain this one. */
  depth: z.int(),
  /** Place of the operation in the table, from 0; null for short calls, and if the table is about another processor. */
  rank: z.int().nullable(),
});
export type TimelineBar = z.infer<typeof TimelineBar>;

export const TimelineRow = z.object({
  /** Thread or stream: `stream 7`. */
  label: z.string(),
  /** Sum over the calls that no other contains, in microseconds. Bars of merged calls also cover the time between them. */
  busyUs: z.number(),
  bars: z.array(TimelineBar),
});
export type TimelineRow = z.infer<typeof TimelineRow>;

export const ProfileTimeline = z.object({
  /** Time from the first start to the last end, in microseconds. */
  durationUs: z.number(),
  /** Rows with the most time, streams of devices before threads. */
  rows: z.array(TimelineRow),
  /** Number of threads and streams that are left out. */
  moreRows: z.int(),
});
export type ProfileTimeline = z.infer<typeof ProfileTimeline>;

/** @param rankOf Returns the place of an operation in the table. */
export function profileTimeline(
  tracks: readonly CallTrack[],
  rankOf: (track: CallTrack, name: string) => number | null,
): ProfileTimeline {
  const shown = tracks
    .map((track) => ({ track, busyUs: sumOfCalls(track) }))
    .toSorted((a, b) => Number(isCpu(a.track)) - Number(isCpu(b.track)) || b.busyUs - a.busyUs)
    .slice(0, SHOWN_TRACKS);
  let startUs = Infinity;
  let endUs = 0;
  for (const { track } of shown) {
    for (const { call } of track.nested) {
      startUs = Math.min(startUs, call.ts);
      endUs = Math.max(endUs, call.ts + call.dur);
    }
  }
  const durationUs = endUs - startUs;
  const longest = new Set(
    shown
      .flatMap(({ track }) => track.nested.filter(({ depth }) => depth < SHOWN_DEPTH))
      .toSorted((a, b) => b.call.dur - a.call.dur)
      .slice(0, SHOWN_CALLS),
  );
  const rows = shown.map(({ track, busyUs }) => ({
    label: labelOf(track, tracks),
    busyUs,
    bars: [
      ...mergedBars(
        track.nested.filter((call) => call.depth === 0 && !longest.has(call)),
        startUs,
        durationUs * MERGED_DISTANCE,
      ),
      ...track.nested
        .filter((call) => longest.has(call))
        .map(({ call, depth }) => ({
          name: displayedName(call.name),
          calls: 1,
          startUs: call.ts - startUs,
          durationUs: call.dur,
          depth,
          rank: rankOf(track, call.name),
        })),
    ],
  }));
  return { durationUs, rows, moreRows: tracks.length - shown.length };
}

/** Merges calls, sorted by start, whose distance is at most `distanceUs`. */
function mergedBars(calls: readonly NestedCall<TraceEvent>[], startUs: number, distanceUs: number): TimelineBar[] {
  const bars: TimelineBar[] = [];
  for (const { call } of calls) {
    const from = call.ts - startUs;
    const last = bars.at(-1);
    if (last !== undefined && from - (last.startUs + last.durationUs) <= distanceUs) {
      last.name = null;
      last.calls += 1;
      last.durationUs = Math.max(last.durationUs, from + call.dur - last.startUs);
    } else {
      bars.push({
        name: displayedName(call.name),
        calls: 1,
        startUs: from,
        durationUs: call.dur,
        depth: 0,
        rank: null,
      });
    }
  }
  return bars;
}

function sumOfCalls({ nested }: CallTrack): number {
  return nested.reduce((sum, { call, depth }) => (depth === 0 ? sum + call.dur : sum), 0);
}

function isCpu({ processor }: CallTrack): boolean {
  return processor === "cpu";
}

/** Names the process or device too where there are several. */
function labelOf(track: CallTrack, tracks: readonly CallTrack[]): string {
  const [whole, part] = isCpu(track) ? ["process", "thread"] : ["device", "stream"];
  const label = `${part} ${displayedName(track.tid)}`;
  const isOnly = tracks.every(({ processor, pid }) => processor !== track.processor || pid === track.pid);
  return isOnly ? label : `${whole} ${displayedName(track.pid)}, ${label}`;
}
