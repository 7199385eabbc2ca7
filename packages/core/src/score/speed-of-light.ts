/**
 * Speed-of-light bound: the minimum time in which a device can do the work of a case. A time below it cannot be genuine.
 *
 *     speedOfLightBound({ bytes: 3e6, operations: 1e6, outputBytes: 1e6 }, rates)   // { ns: 597, by: "memory", amount: 2e6, ... }
 */
import { z } from "zod";
import type { PeakRates } from "../machine/hardware.ts";
import { caseLine } from "../vocabulary/case-line.ts";
import type { Case } from "../vocabulary/specification.ts";
import type { CaseScore } from "./score.ts";
import { geometricMean } from "./statistics.ts";
import { formatNs, formatRate } from "../text/units.ts";

/** Bound that follows from the work of a case and the rates of a device. */
const RooflineBound = z.object({
  ns: z.number().positive(),
  /** Which of the two bounds is larger. */
  by: z.enum(["memory", "arithmetic"]),
  /** Bytes to move or operations to compute. */
  amount: z.number().positive(),
  /** Peak rate of the device, in bytes or operations per second. */
  perS: z.number().positive(),
  /** Source of the rate; a measured rate includes a safety margin. */
  from: z.enum(["data sheet", "measured"]),
});
type RooflineBound = z.infer<typeof RooflineBound>;

/** Bound that the problem declares as a time (`speed_of_light_us`). */
const DeclaredBound = z.object({ ns: z.number().positive(), by: z.literal("declared") });

export const SpeedOfLightBound = z.discriminatedUnion("by", [RooflineBound, DeclaredBound]);
export type SpeedOfLightBound = z.infer<typeof SpeedOfLightBound>;

/**
 * Cost of a case: bytes and operations as declared by the problem, and the size of its output buffers. Null if unknown.
 */
export interface CaseCost {
  bytes: number | null;
  operations: number | null;
  outputBytes: number | null;
}

/**
 * Returns the bound that the problem declares for the case, in nanoseconds; otherwise max(bytes / bandwidth,
 * operations / rate), or null if neither is known. Inputs are read from memory, because
 * the judge evicts them from caches before each call. Outputs may remain in a cache when a kernel ends, so output bytes
 * up to the cache size are not counted; if the output size is unknown, every byte may be output.
 * Source: S. Williams, A. Waterman, D. Patterson, Roofline: an insightful visual performance model for multicore
 * architectures, Comm. ACM 52 (2009) 65-76.
 */
export function speedOfLightBound(
  { bytes, operations, outputBytes }: CaseCost,
  rates: PeakRates | null,
  declaredNs?: number,
): SpeedOfLightBound | null {
  if (declaredNs !== undefined) return { ns: declaredNs, by: "declared" };
  if (rates === null) return null;
  const moved = bytes === null ? 0 : Math.max(0, bytes - Math.min(outputBytes ?? bytes, rates.cacheBytes));
  const bounds = [
    { by: "memory", amount: moved, perS: rates.memoryBytesPerS } as const,
    { by: "arithmetic", amount: operations ?? 0, perS: rates.operationsPerS } as const,
  ].map((part) => ({ ...part, ns: (part.amount / part.perS) * 1e9, from: rates.from }));
  const [first, second] = bounds as [RooflineBound, RooflineBound];
  const bound = second.ns > first.ns ? second : first;
  return bound.ns > 0 && Number.isFinite(bound.ns) ? bound : null;
}

/**
 * Returns the fraction of speed of light that a time reaches: 1 is the bound itself, and honest times give less.
 * Displayed as a percentage.
 */
export function fractionOfSpeedOfLight(timeNs: number, bound: Pick<SpeedOfLightBound, "ns">): number {
  return bound.ns / timeNs;
}

/** Case with its speed-of-light bound, as in a stage's result. */
export interface BoundedCase {
  /** Index of the case, from 0. */
  index: number;
  case: Case;
  score: Pick<CaseScore, "timeNs"> | null;
  speedOfLight: SpeedOfLightBound | null;
}

/** Returns the geometric mean of the speed-of-light fractions of all cases. Null if a case has no bound or no time. */
export function meanFractionOfSpeedOfLight(cases: readonly BoundedCase[]): number | null {
  const shares = cases.flatMap(({ score, speedOfLight }) =>
    score === null || speedOfLight === null ? [] : fractionOfSpeedOfLight(score.timeNs.value, speedOfLight),
  );
  return shares.length === 0 || shares.length < cases.length ? null : geometricMean(shares);
}

/**
 * Returns why a run is quarantined: the case furthest below its speed-of-light bound, with the figures that a moderator
 * needs. Null if no case is below its bound.
 *
 * Compares the estimate instead of the high end of its confidence interval, because the estimate ranks, and a kernel
 * could widen its interval with a few slow calls. Noise does not bring an honest kernel below the bound: disturbances
 * make times longer, the judge's clock adds to each call, and no kernel reaches the peak rates of the bound.
 */
export function belowSpeedOfLight(cases: readonly BoundedCase[]): string | null {
  const [worst] = cases
    .flatMap(({ score, speedOfLight, ...one }) =>
      score === null || speedOfLight === null ? [] : { ...one, timeNs: score.timeNs.value, speedOfLight },
    )
    .filter(({ timeNs, speedOfLight }) => timeNs < speedOfLight.ns)
    .toSorted(
      (a, b) => fractionOfSpeedOfLight(b.timeNs, b.speedOfLight) - fractionOfSpeedOfLight(a.timeNs, a.speedOfLight),
    );
  if (worst === undefined) return null;
  const { index, case: parameters, timeNs, speedOfLight } = worst;
  return (
    `faster than the hardware allows, so a moderator must review it: case ${index + 1} (${caseLine(parameters)}) took ` +
    `${formatNs(timeNs)}, below its speed-of-light bound of ${formatNs(speedOfLight.ns)}: ${formatSpeedOfLightBound(speedOfLight)}`
  );
}

/** Describes the derivation of a bound: `at least 393,216 bytes at no more than 50.00 GB/s (measured)`. */
export function formatSpeedOfLightBound(bound: SpeedOfLightBound): string {
  if (bound.by === "declared") return "declared by the problem";
  const { by, amount, perS, from } = bound;
  const [what, unit] = by === "memory" ? (["bytes", "B/s"] as const) : (["operations", "OPS"] as const);
  const counted = Math.round(amount).toLocaleString("en-US");
  return `at least ${counted} ${what} at no more than ${formatRate(perS, unit)} (${from})`;
}
