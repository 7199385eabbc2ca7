/** How two kernels A and B relate: which is faster, by how much, and how sure that is. */
import { z } from "zod";
import { Case } from "./problem-spec.ts";
import { CaseScore, Interval } from "./score.ts";
import { geometricMean, type Estimate } from "./statistics.ts";
import { formatRatio } from "./units.ts";

export const Side = z.enum(["a", "b"]);
export type Side = z.infer<typeof Side>;

/** How two kernels relate. */
export const Relation = z.object({
  /** Which is faster with 95 % confidence; null where that cannot be told. */
  faster: Side.nullable(),
  /** How many times as fast as B A is, with the interval that holds it with 95 % confidence; null where nothing tells. */
  ratio: Interval.nullable(),
});
export type Relation = z.infer<typeof Relation>;

export const CaseRelation = Relation.extend({
  case: Case,
  /** Null where that side was not timed on the case. */
  a: CaseScore.nullable(),
  b: CaseScore.nullable(),
});
export type CaseRelation = z.infer<typeof CaseRelation>;

/** What an interval of the ratio tells: one is faster where equality lies outside of it. */
export function relation(ratio: Estimate | null): Relation {
  if (ratio === null || !Object.values(ratio).every((value) => Number.isFinite(value) && value > 0)) {
    return { faster: null, ratio: null };
  }
  return { faster: ratio.low > 1 ? "a" : ratio.high < 1 ? "b" : null, ratio };
}

/**
 * All cases as one: the geometric mean of their ratios, in which no case weighs more for taking longer (P. J. Fleming,
 * J. J. Wallace, How Not To Lie With Statistics, CACM 29 (1986), pages 218-221), and of the ends of their intervals, as if
 * all erred together.
 */
export function overall(cases: readonly Relation[]): Relation {
  const ratios = cases.flatMap(({ ratio }) => ratio ?? []);
  if (ratios.length === 0) return { faster: null, ratio: null };
  const combined = (pick: (ratio: Estimate) => number) => geometricMean(ratios.map(pick));
  return relation({
    value: combined(({ value }) => value),
    low: combined(({ low }) => low),
    high: combined(({ high }) => high),
  });
}

/** The verdict as a sentence over these names: `a.py is 1.250× as fast as b.py (95 % interval: 1.180× to 1.310×)`. */
export function relationSentence({ faster, ratio }: Relation, names: Record<Side, string>): string {
  if (ratio === null) return "Nothing tells which is faster";
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
