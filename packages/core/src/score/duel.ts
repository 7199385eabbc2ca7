/**
 * Result of a duel: two kernels timed alternately in one session. A pure function of the stored samples and the
 * failures.
 */
import { z } from "zod";
import type { StopRule } from "../vocabulary/specification.ts";
import { CaseRelation, combineRelations, Relation, relationFromRatio, formatRelation, Side } from "./relation.ts";
import { scoreCase, speedupWithInterval } from "./score.ts";
import { widenInterval } from "./statistics.ts";
import { SideFailure, type CaseFinished, type Rounds } from "../run/tester-protocol.ts";
import { FAILURE_CLASS_LABELS } from "../vocabulary/states.ts";

/** Result of a duel without its cases. */
export const DuelSummary = Relation.extend({
  /** The faster side, or the side that did not fail; null if both failed, or if neither is significantly faster. */
  winner: Side.nullable(),
  failures: z.object({ a: SideFailure.nullable(), b: SideFailure.nullable() }),
});
export type DuelSummary = z.infer<typeof DuelSummary>;

export const DuelResult = DuelSummary.extend({ cases: z.array(CaseRelation) });
export type DuelResult = z.infer<typeof DuelResult>;

/**
 * Half-width, in logarithms, of the difference between two workers of the same kernel in one session: each is a
 * separate process with its own memory layout, which repetition does not average out. Smaller differences are not
 * reported.
 */
const BETWEEN_WORKERS = 0.01;

/** Case of stage `duel`. */
type DuelCase = Pick<CaseFinished, "case" | "rounds">;

/** Computes the result of a duel. `faster` and `ratio` are null if a side failed or any case has too few rounds. */
export function duelResult(
  cases: readonly DuelCase[],
  failures: DuelSummary["failures"],
  target: string,
  stop: StopRule,
): DuelResult {
  const failed = failures.a !== null || failures.b !== null;
  const relations = cases.map((each) => caseOfDuel(each, target, stop, failed));
  const comparable = relations.every(({ ratio }) => ratio !== null);
  const whole = comparable ? combineRelations(relations) : { faster: null, ratio: null };
  const survivor = failures.a === null ? (failures.b === null ? null : "a") : failures.b === null ? "b" : null;
  return { ...whole, winner: failed ? survivor : whole.faster, failures, cases: relations };
}

/** Returns the result of a duel without its cases. */
export function duelSummary({ cases: _, ...summary }: DuelResult): DuelSummary {
  return summary;
}

function caseOfDuel({ case: values, rounds }: DuelCase, target: string, stop: StopRule, failed: boolean): CaseRelation {
  const scoreOf = (side: "candidateNs" | "rivalNs") =>
    scoreCase({ rounds: pairsOf(rounds, side, "referenceNs"), summary: null }, target, stop);
  // Speedup of A over B: B takes the place of the reference.
  const ratio = failed ? null : speedupWithInterval(pairsOf(rounds, "candidateNs", "rivalNs"), target, stop);
  return {
    case: values,
    a: scoreOf("candidateNs"),
    b: scoreOf("rivalNs"),
    ...relationFromRatio(ratio && widenInterval(ratio, BETWEEN_WORKERS)),
  };
}

/** Returns the rounds with two of their three series as candidate and reference; rounds without both are dropped. */
export function pairsOf(rounds: Rounds, above: "candidateNs" | "rivalNs", below: "referenceNs" | "rivalNs"): Rounds {
  return rounds
    .map(({ conditions, ...series }) => ({
      candidateNs: series[above] ?? [],
      referenceNs: series[below] ?? [],
      conditions,
    }))
    .filter(({ candidateNs, referenceNs }) => candidateNs.length > 0 && referenceNs.length > 0);
}

/** Describes the result of a duel in a sentence with these names. */
export function formatDuel(duel: DuelSummary, names: Record<Side, string>): string {
  const { a, b } = duel.failures;
  if (a !== null && b !== null) return `Neither wins: ${lost(names.a, a)}, and ${lost(names.b, b)}`;
  if (b !== null) return `${names.a} wins, since ${lost(names.b, b)}`;
  if (a !== null) return `${names.b} wins, since ${lost(names.a, a)}`;
  return formatRelation(duel, names);
}

function lost(name: string, { failureClass }: SideFailure): string {
  return `${name} failed (${FAILURE_CLASS_LABELS[failureClass]})`;
}
