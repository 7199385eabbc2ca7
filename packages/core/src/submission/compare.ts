/**
 * Compares two kernels by the stored samples of two separate runs. Pure: the same samples give the same result.
 * Differences that the samples do not resolve are reported as unknown.
 */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { canonicalJson } from "../text/canonical-json.ts";
import { machineDifferences, MachineDifference } from "../machine/differences.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { CaseRelation, combineRelations, Relation, relationFromRatio, Side } from "../score/relation.ts";
import { SourceDiff } from "./source-diff.ts";
import type { Estimate } from "../vocabulary/interval.ts";
import { BETWEEN_SESSIONS, independentRatio } from "../score/statistics.ts";
import type { RunDetail, StageResult } from "./submission.ts";
import { Mode } from "../vocabulary/states.ts";

export const Comparison = Relation.extend({
  /**
   * Compared quantity: the speedups over the reference, which each session timed next to its kernel, or the times if
   * the runs have no common reference. Null if nothing could be compared.
   */
  basis: z.enum(["times", "speedups"]).nullable(),
  /** Why times were compared, or why nothing could be compared; null if speedups were. */
  reason: z.string().nullable(),
  /** Every case of either run, in order. */
  cases: z.array(CaseRelation),
  machines: z.array(MachineDifference),
});
export type Comparison = z.infer<typeof Comparison>;

const ComparedSide = z.object({
  submissionId: z.number().int(),
  runId: z.number().int(),
  account: AccountName,
  fileName: z.string(),
  mode: Mode,
  createdAt: z.iso.datetime(),
});

/** Response of `GET /api/v1/compare`: two submissions side by side. */
export const ComparedSubmissions = z.object({
  board: ProblemName,
  target: TargetName,
  a: ComparedSide,
  b: ComparedSide,
  comparison: Comparison,
  diff: SourceDiff,
});
export type ComparedSubmissions = z.infer<typeof ComparedSubmissions>;

/** Fields of a run that a comparison reads. */
export type TimedRun = Pick<RunDetail, "machine" | "problemVersion" | "stages">;

/** Compares two runs of one problem on one target that were judged in separate sessions. */
export function compareRuns(a: TimedRun, b: TimedRun): Comparison {
  const pairs = pairedCases(a, b);
  const machines = a.machine === null || b.machine === null ? [] : machineDifferences(a.machine, b.machine);
  const { basis, reason } = basisOf(a, b, pairs, machines);
  const cases = pairs.map((pair) => ({ ...pair, ...relationFromRatio(basis === null ? null : ratioOf(pair, basis)) }));
  return { ...combineRelations(cases), basis, reason, cases, machines };
}

type Pair = Pick<CaseRelation, "case" | "a" | "b">;
type Basis = Pick<Comparison, "basis" | "reason">;

/**
 * Selects speedups over a reference that both have, since a session times it in the same rounds as the kernel and the
 * machine's state cancels out; otherwise the times of two runs on the same, unchanged machine.
 */
function basisOf(a: TimedRun, b: TimedRun, pairs: readonly Pair[], machines: readonly MachineDifference[]): Basis {
  const shared = pairs.filter((pair) => pair.a !== null && pair.b !== null);
  if (shared.length === 0) return { basis: null, reason: "no case was timed for both" };
  const sameReference =
    a.problemVersion === b.problemVersion && shared.every((pair) => pair.a?.speedup != null && pair.b?.speedup != null);
  if (sameReference) return { basis: "speedups", reason: null };
  const why = "the runs have no common reference";
  if (machines.length > 0) return { basis: null, reason: `${why}, and the machines differ` };
  if (a.machine === null || b.machine === null) {
    return { basis: null, reason: `${why}, and the machines on which they were judged are unknown` };
  }
  return { basis: "times", reason: `${why}, so the times on the same machine are compared` };
}

function ratioOf({ a, b }: Pair, basis: "times" | "speedups"): Estimate | null {
  if (a === null || b === null) return null;
  if (basis === "times") return independentRatio(b.timeNs, a.timeNs, BETWEEN_SESSIONS);
  return a.speedup === null || b.speedup === null ? null : independentRatio(a.speedup, b.speedup, BETWEEN_SESSIONS);
}

/** Pairs the cases of both timed stages by equal parameters. */
function pairedCases(a: TimedRun, b: TimedRun): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const side of Side.options) {
    for (const result of timedStage(side === "a" ? a : b)?.cases ?? []) {
      const key = canonicalJson(result.case);
      const pair = pairs.get(key) ?? { case: result.case, a: null, b: null };
      pairs.set(key, { ...pair, [side]: result.score });
    }
  }
  return [...pairs.values()];
}

function timedStage({ stages }: TimedRun): StageResult | undefined {
  return stages.findLast((stage) => stage.cases.some(({ score }) => score !== null));
}
