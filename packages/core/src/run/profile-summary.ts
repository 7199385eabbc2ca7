/** Summary of a profiler's trace: the operations with the most time, and a timeline. */
import { z } from "zod";
import { profileTimeline, ProfileTimeline } from "./profile-timeline.ts";
import { callTracks, displayedName, type CallTrack } from "./profile-tracks.ts";
import type { TraceEvent } from "./trace.ts";

/** Number of operations in the table. */
export const SHOWN_OPERATIONS = 30;

export const ProfiledOperation = z.object({
  /** Name from the trace, sanitized and shortened. */
  name: z.string(),
  calls: z.int(),
  /** Sum over the calls, in microseconds. */
  totalUs: z.number(),
  /** Sum without the time in contained calls, in microseconds; null on a device, and where calls overlap. */
  selfUs: z.number().nullable(),
  /** Share of the sum over all operations of `selfUs`, or else of `totalUs`, from 0 to 1. */
  share: z.number(),
});
export type ProfiledOperation = z.infer<typeof ProfiledOperation>;

export const ProfileSummary = z.object({
  /** Whether the operations are kernels and copies on a device, or operations on the CPU. */
  processor: z.enum(["device", "cpu"]),
  /** The first operations by self time, or else by total time. */
  operations: z.array(ProfiledOperation),
  /** Number of operations that are left out. */
  moreOperations: z.int(),
  timeline: ProfileTimeline,
});
export type ProfileSummary = z.infer<typeof ProfileSummary>;

/** Result of reading a trace: its summary, or a sentence that says why it has none. */
export type TraceReading = { summary: ProfileSummary; problem: null } | { summary: null; problem: string };

/**
 * Summarizes the calls of a trace: those on a device, or those on the CPU if no device was used. Null without calls.
 * @example
 * const events = parseTrace(JSON.parse(text));
 * const summary = events && summarizeProfile(events);
 */
export function summarizeProfile(events: readonly TraceEvent[]): ProfileSummary | null {
  const tracks = callTracks(events);
  if (tracks.length === 0) return null;
  const processor = tracks.some((track) => track.processor === "device") ? "device" : "cpu";
  const operations = rankedOperations(
    tracks.filter((track) => track.processor === processor),
    processor,
  );
  const ranks = new Map(operations.map(({ name }, rank) => [name, rank]));
  return {
    processor,
    operations: operations.slice(0, SHOWN_OPERATIONS).map((each) => ({ ...each, name: displayedName(each.name) })),
    moreOperations: Math.max(0, operations.length - SHOWN_OPERATIONS),
    timeline: profileTimeline(tracks, (track, name) =>
      track.processor === processor ? (ranks.get(name) ?? null) : null,
    ),
  };
}

/** Returns the operations by their names in the trace, those with the most time first. */
function rankedOperations(tracks: readonly CallTrack[], processor: "device" | "cpu"): ProfiledOperation[] {
  const hasSelfTimes = processor === "cpu" && tracks.every(({ isNested }) => isNested);
  const sums = new Map<string, { calls: number; totalUs: number; selfUs: number }>();
  for (const { nested } of tracks) {
    for (const { call, selfUs } of nested) {
      const sum = sums.get(call.name) ?? { calls: 0, totalUs: 0, selfUs: 0 };
      sum.calls += 1;
      sum.totalUs += call.dur;
      sum.selfUs += selfUs;
      sums.set(call.name, sum);
    }
  }
  const weight = (sum: { totalUs: number; selfUs: number }): number => (hasSelfTimes ? sum.selfUs : sum.totalUs);
  let wholeUs = 0;
  for (const sum of sums.values()) wholeUs += weight(sum);
  return [...sums]
    .toSorted(([, a], [, b]) => weight(b) - weight(a))
    .map(([name, sum]) => ({
      name,
      ...sum,
      selfUs: hasSelfTimes ? sum.selfUs : null,
      share: wholeUs === 0 ? 0 : weight(sum) / wholeUs,
    }));
}
