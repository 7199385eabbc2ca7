/** Who wins a duel: two kernels that took turns in one session. A function of the stored samples and of who has failed. */
import { z } from "zod";
import type { Stop } from "./problem-spec.ts";
import { CaseRelation, overall, Relation, relation, relationSentence, Side } from "./relation.ts";
import { scoreCase, sureSpeedup } from "./score.ts";
import { widened } from "./statistics.ts";
import { SideFailure, type CaseFinished, type Rounds } from "./tester.ts";
import { FAILURE_WORDS } from "./words.ts";

/** How a duel ended. */
export const DuelSummary = Relation.extend({
  /** The faster one, or the one that has not failed; null where both have, or neither can be told to be faster. */
  winner: Side.nullable(),
  failures: z.object({ a: SideFailure.nullable(), b: SideFailure.nullable() }),
});
export type DuelSummary = z.infer<typeof DuelSummary>;

export const DuelResult = DuelSummary.extend({ cases: z.array(CaseRelation) });
export type DuelResult = z.infer<typeof DuelResult>;

/**
 * How far, in logarithms, two workers of one kernel may lie apart in one session: each is a process of its own with its
 * own places in memory, which no repetition in it changes. Less than that is not told.
 */
const BETWEEN_WORKERS = 0.01;

/** The cases of the stage `duel`, in order. */
type DuelCase = Pick<CaseFinished, "case" | "rounds">;

export function duelResult(
  cases: readonly DuelCase[],
  failures: DuelSummary["failures"],
  target: string,
  stop: Stop,
): DuelResult {
  const failed = failures.a !== null || failures.b !== null;
  const relations = cases.map((each) => caseOfDuel(each, target, stop, failed));
  const told = relations.every(({ ratio }) => ratio !== null);
  const whole = told ? overall(relations) : { faster: null, ratio: null };
  const survivor = failures.a === null ? (failures.b === null ? null : "a") : failures.b === null ? "b" : null;
  return { ...whole, winner: failed ? survivor : whole.faster, failures, cases: relations };
}

/** A duel without its cases. */
export function duelSummary({ cases: _, ...summary }: DuelResult): DuelSummary {
  return summary;
}

function caseOfDuel({ case: values, rounds }: DuelCase, target: string, stop: Stop, failed: boolean): CaseRelation {
  const beside = (side: "candidateNs" | "rivalNs") =>
    scoreCase({ rounds: pairsOf(rounds, side, "referenceNs"), summary: null }, target, stop);
  // The speed-up of A over B, in the place of the one over the reference.
  const ratio = failed ? null : sureSpeedup(pairsOf(rounds, "candidateNs", "rivalNs"), target, stop);
  return {
    case: values,
    a: beside("candidateNs"),
    b: beside("rivalNs"),
    ...relation(ratio && widened(ratio, BETWEEN_WORKERS)),
  };
}

/** The rounds with two of their three series in the places of submission and reference. */
function pairsOf(rounds: Rounds, above: "candidateNs" | "rivalNs", below: "referenceNs" | "rivalNs"): Rounds {
  return rounds
    .map(({ conditions, ...series }) => ({
      candidateNs: series[above] ?? [],
      referenceNs: series[below] ?? [],
      ...(conditions !== undefined && { conditions }),
    }))
    .filter(({ candidateNs, referenceNs }) => candidateNs.length > 0 && referenceNs.length > 0);
}

/** How it ended as a sentence over these names. */
export function duelSentence(duel: DuelSummary, names: Record<Side, string>): string {
  const { a, b } = duel.failures;
  if (a !== null && b !== null) return `Neither wins: ${lost(names.a, a)}, and ${lost(names.b, b)}`;
  if (b !== null) return `${names.a} wins, since ${lost(names.b, b)}`;
  if (a !== null) return `${names.b} wins, since ${lost(names.a, a)}`;
  return relationSentence(duel, names);
}

function lost(name: string, { failureClass }: SideFailure): string {
  return `${name} failed (${FAILURE_WORDS[failureClass]})`;
}
