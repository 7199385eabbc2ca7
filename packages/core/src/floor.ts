/**
 * The hardware floor: the least time in which a device can do what a case asks for. A time below it is no kernel's.
 *
 *     floorOf({ bytes: 3e6, operations: 1e6, outputBytes: 1e6 }, rates)   // { ns: 597, by: "memory", amount: 2e6, ... }
 */
import { z } from "zod";
import type { Rates } from "./hardware.ts";
import { caseLine } from "./problem.ts";
import type { Case } from "./problem-spec.ts";
import type { CaseScore } from "./score.ts";
import { geometricMean } from "./statistics.ts";
import { formatNs, formatRate } from "./units.ts";

export const Floor = z.object({
  ns: z.number().positive(),
  /** Which of the two takes the longer. */
  by: z.enum(["memory", "arithmetic"]),
  /** What has to be moved or computed: bytes or operations. */
  amount: z.number().positive(),
  /** The most that the device moves or computes, per second. */
  perS: z.number().positive(),
  /** Where the rate is from; one that was measured has a margin already. */
  from: z.enum(["data sheet", "measured"]),
});
export type Floor = z.infer<typeof Floor>;

/** What a problem declares of a case, and the size of its output buffers. */
export interface Cost {
  bytes: number | null;
  operations: number | null;
  outputBytes: number | null;
}

/**
 * max(bytes / bandwidth, operations / rate), or null where neither is known. Inputs come from memory, since the judge evicts
 * them before each call; but outputs may still be in a cache when a kernel is done, so as many of their bytes as a cache
 * holds do not count. Where the outputs are not known, any byte may be one.
 * Source: S. Williams, A. Waterman, D. Patterson, Roofline: an insightful visual performance model for multicore
 * architectures, Comm. ACM 52 (2009) 65-76.
 */
export function floorOf({ bytes, operations, outputBytes }: Cost, rates: Rates | null): Floor | null {
  if (rates === null) return null;
  const moved = bytes === null ? 0 : Math.max(0, bytes - Math.min(outputBytes ?? bytes, rates.cacheBytes));
  const floors = [
    { by: "memory", amount: moved, perS: rates.memoryBytesPerS } as const,
    { by: "arithmetic", amount: operations ?? 0, perS: rates.operationsPerS } as const,
  ].map((part) => ({ ...part, ns: (part.amount / part.perS) * 1e9, from: rates.from }));
  const [first, second] = floors as [Floor, Floor];
  const floor = second.ns > first.ns ? second : first;
  return floor.ns > 0 && Number.isFinite(floor.ns) ? floor : null;
}

/** How much of a time the floor is: 1 is the floor itself, and nothing honest is above 1. Shown as "12 % of the hardware floor". */
export function shareOfFloor(timeNs: number, floor: Pick<Floor, "ns">): number {
  return floor.ns / timeNs;
}

/** A case with its floor, as a stage's result has it. */
export interface FlooredCase {
  /** Counts from 0. */
  index: number;
  case: Case;
  score: Pick<CaseScore, "timeNs"> | null;
  floor: Floor | null;
}

/** The share of the floor over all cases: its geometric mean. Null where a case has no floor or no time. */
export function shareOverCases(cases: readonly FlooredCase[]): number | null {
  const shares = cases.flatMap(({ score, floor }) =>
    score === null || floor === null ? [] : shareOfFloor(score.timeNs.value, floor),
  );
  return shares.length === 0 || shares.length < cases.length ? null : geometricMean(shares);
}

/**
 * Why a run is quarantined: the case that is the furthest below its floor, with all figures for a moderator. Null where
 * none is below.
 *
 * The estimate counts, and not the high end of its interval: the estimate is what ranks, and a kernel can widen its
 * interval by a few slow calls. No honest one is so near the floor that noise could bring it below: what disturbs a measurement
 * makes it longer, the judge's clock adds to each call, and no kernel reaches the peaks that make the floor.
 */
export function belowFloor(cases: readonly FlooredCase[]): string | null {
  const [worst] = cases
    .flatMap(({ score, floor, ...one }) =>
      score === null || floor === null ? [] : { ...one, timeNs: score.timeNs.value, floor },
    )
    .filter(({ timeNs, floor }) => timeNs < floor.ns)
    .toSorted((a, b) => shareOfFloor(b.timeNs, b.floor) - shareOfFloor(a.timeNs, a.floor));
  if (worst === undefined) return null;
  const { index, case: parameters, timeNs, floor } = worst;
  return (
    `no kernel can be so fast, so a moderator has to look: case ${index + 1} (${caseLine(parameters)}) took ` +
    `${formatNs(timeNs)}, below its hardware floor of ${formatNs(floor.ns)}: ${floorWords(floor)}`
  );
}

/** What makes a floor: `at least 393,216 bytes at no more than 50.00 GB/s (measured)`. */
export function floorWords({ by, amount, perS, from }: Floor): string {
  const [what, unit] = by === "memory" ? (["bytes", "B/s"] as const) : (["operations", "OPS"] as const);
  const counted = Math.round(amount).toLocaleString("en-US");
  return `at least ${counted} ${what} at no more than ${formatRate(perS, unit)} (${from})`;
}
