/** Relation of two kernels A and B: which is faster, by what factor, and with which confidence. */
import { z } from "zod";
import { Case } from "../vocabulary/specification.ts";
import { CaseScore } from "./score.ts";
import { Interval, type Estimate } from "../vocabulary/interval.ts";
import { geometricMean } from "./statistics.ts";
import { formatRatio } from "../text/units.ts";

export const Side = z.enum(["a", "b"]);
export type Side = z.infer<typeof Side>;

/** Relation of two kernels. */
export const Relation = z.object({
  /** The side that is faster with 95 % confidence; null if neither is. */
  faster: Side.nullable(),
  /** Speedup of A over B with its 95 % confidence interval; null if unknown. */
  ratio: Interval.nullable(),
});
export type Relation = z.infer<typeof Relation>;

export const CaseRelation = Relation.extend({
  case: Case,
  /** Null if that side was not timed on the case. */
  a: CaseScore.nullable(),
  b: CaseScore.nullable(),
});
export type CaseRelation = z.infer<typeof CaseRelation>;

/** Returns the relation that follows from the interval of the ratio: a side is faster if the interval excludes 1. */
export function relationFromRatio(ratio: Estimate | null): Relation {
  if (ratio === null || !Object.values(ratio).every((value) => Number.isFinite(value) && value > 0)) {
    return { faster: null, ratio: null };
  }
  return { faster: ratio.low > 1 ? "a" : ratio.high < 1 ? "b" : null, ratio };
}

/**
 * Combines the relations of all cases: the geometric mean of their ratios, so that longer cases have no larger weight
 * (P. J. Fleming, J. J. Wallace, How Not To Lie With Statistics, CACM 29 (1986), pages 218-221). The ends of the
 * intervals are combined in the same way, as if all errors had the same sign.
 */
export function combineRelations(cases: readonly Relation[]): Relation {
  const ratios = cases.flatMap(({ ratio }) => ratio ?? []);
  if (ratios.length === 0) return { faster: null, ratio: null };
  const combined = (pick: (ratio: Estimate) => number) => geometricMean(ratios.map(pick));
  return relationFromRatio({
    value: combined(({ value }) => value),
    low: combined(({ low }) => low),
    high: combined(({ high }) => high),
  });
}

/**
 * Describes a relation in a sentence with these names: `a.py is 1.250× as fast as b.py (95 % interval: 1.180× to
 * 1.310×)`.
 */
export function formatRelation({ faster, ratio }: Relation, names: Record<Side, string>): string {
  if (ratio === null) return "It is unknown which is faster";
  if (faster === null) {
    return `Cannot tell which is faster: ${names.a} is ${formatRatio(ratio.low)} to ${formatRatio(ratio.high)} as fast as ${names.b} (95 % interval)`;
  }
  const { value, low, high } = faster === "a" ? ratio : inverse(ratio);
  const [winner, loser] = faster === "a" ? [names.a, names.b] : [names.b, names.a];
  return `${winner} is ${formatRatio(value)} as fast as ${loser} (95 % interval: ${formatRatio(low)} to ${formatRatio(high)})`;
}

function inverse({ value, low, high }: Estimate): Estimate {
  return { value: 1 / value, low: 1 / high, high: 1 / low };
}
