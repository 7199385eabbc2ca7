/** Score of a ranked run, or of an evaluation at level `reward`, computed only from its stored samples. */
import type { Selectable, Transaction } from "kysely";
import {
  belowSpeedOfLight,
  casesFor,
  isEfficiency,
  isNoisyReward,
  speedOfLightBound,
  IMPLAUSIBLE_TIME_MESSAGE,
  MIN_PLAUSIBLE_NS,
  peakRatesOf,
  rankingOf,
  runScore,
  scoreCases,
  meanFractionOfSpeedOfLight,
  weightsFor,
  type BoundedCase,
  type FlagCheck,
  type Machine,
  type ProblemSpec,
  type RunMode,
  type RunScore,
  type Score,
  type SpeedOfLightBound,
} from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";
import type { Ending } from "./finish.ts";
import type { RankedScore } from "./summary.ts";

interface TimedRun {
  id: number;
  attempt: number;
  target: string;
}

/**
 * Returns the ending of a timed run that the judge passed: passed with its score, or quarantined if its samples give
 * no score or the time of a case is below its speed-of-light bound.
 */
export async function scoreStored(
  transaction: Transaction<Tables>,
  run: TimedRun & { mode: RunMode },
): Promise<Ending> {
  const stage = run.mode === "reward" ? "benchmark" : "ranked";
  const found = await scoreOfSamples(transaction, run, stage);
  if ("why" in found) {
    return quarantined(
      "no_score",
      `no score can be computed from the samples, so a moderator must review it: ${found.why}`,
    );
  }
  if (found.impossible !== null) return quarantined("speed_of_light", found.impossible);
  return { verdict: "passed", failureClass: null, message: null, detail: null, score: found.score };
}

/**
 * Computes the score of a timed run from its stored samples, or that of an imported run from the time that its source
 * states. The run's verdict is not considered. Times of stage `benchmark` are on no board.
 * @returns the score, with an explanation in `impossible` if a time is below the speed-of-light bound; or in `why` the
 * reason why there is no score.
 */
export async function scoreOfSamples(
  transaction: Transaction<Tables>,
  run: TimedRun,
  stage: "ranked" | "benchmark" = "ranked",
): Promise<{ score: RankedScore; impossible: string | null } | { why: string }> {
  const imported = await transaction
    .selectFrom("imported_run")
    .select("time_ns")
    .where("run_id", "=", run.id)
    .executeTakeFirst();
  if (imported !== undefined) return importedScore(imported.time_ns);
  const { spec, machine } = await transaction
    .selectFrom("run")
    .innerJoin("problem_version", "problem_version.hash", "run.problem_version")
    .innerJoin("machine", "machine.hash", "run.machine_hash")
    .select(["problem_version.spec", "machine.description as machine"])
    .where("run.id", "=", run.id)
    .executeTakeFirstOrThrow();
  const cases = await transaction
    .selectFrom("case_result")
    .select(["index", "parameters", "status", "bytes", "operations", "output_bytes", "rounds", "summary"])
    .where("run_id", "=", run.id)
    .where("attempt", "=", run.attempt)
    .where("stage", "=", stage)
    .orderBy("index")
    .execute();
  const expected = casesFor(spec, run.target).benchmarks.length;
  const complete = cases.length === expected && cases.every((row, index) => row.index === index);
  // A problem's own harness may skip cases; the judge has accepted that.
  const timed = cases.filter((row) => row.status === "passed");
  const isTimed = spec.harness === "legacy" ? isTimedByHarness : (row: StoredCase) => row.status === "passed";
  if (!complete || timed.length === 0 || !cases.every(isTimed)) {
    return { why: `${timed.length} of the board's ${expected} cases were timed and passed` };
  }
  try {
    const weights = weightsFor(spec, run.target);
    const score = scoreCases(timed, spec.rankingBy, run.target, spec.stop, weights);
    if (!isPlausible(score)) return { why: "the score is not a positive finite number" };
    const bounds = boundsOfCases(timed, spec, machine, run.target);
    const bounded = timed.map((row, at) => ({
      index: row.index,
      case: row.parameters,
      score: score.cases[at] ?? null,
      speedOfLight: bounds[at] ?? null,
    }));
    const ranking = rankingOf(spec, run.target);
    if (stage === "ranked" && isEfficiency(ranking) && bounds.includes(null)) return { why: withoutBound(bounded) };
    const boundsNs = bounds.flatMap((bound) => bound?.ns ?? []);
    const ranked = {
      ...(stage === "ranked"
        ? runScore(score, ranking, run.target, boundsNs, weights)
        : rewardScore(score, run.target)),
      // The board shows case times by case number, so either all or none are stored.
      cases: timed.length === expected ? score.cases : [],
      speedOfLightShare: meanFractionOfSpeedOfLight(bounded),
    };
    return { score: ranked, impossible: belowSpeedOfLight(bounded) };
  } catch (error) {
    if (error instanceof RangeError) return { why: error.message };
    throw error;
  }
}

/** Returns the speed-of-light bound of each case on the machine of a run; null where it is unknown. */
export function boundsOfCases(
  cases: readonly Pick<Selectable<Tables["case_result"]>, "index" | "bytes" | "operations" | "output_bytes">[],
  spec: ProblemSpec,
  machine: Machine,
  target: string,
): (SpeedOfLightBound | null)[] {
  const rates = peakRatesOf(machine, target);
  const declaredNs = spec.targets[target]?.boundsNs;
  return cases.map((row) =>
    speedOfLightBound({ ...row, outputBytes: row.output_bytes }, rates, declaredNs?.[row.index]),
  );
}

/** Returns why a run has no efficiency: the first case without a speed-of-light bound. */
function withoutBound(bounded: readonly BoundedCase[]): string {
  const missing = bounded.find(({ speedOfLight }) => speedOfLight === null);
  return (
    `case ${(missing?.index ?? 0) + 1} has no speed-of-light bound, because the problem declares no cost for it or the ` +
    "rates of the machine are unknown"
  );
}

/** Returns the score of an evaluation, which ranks on no board. */
function rewardScore({ timeNs, speedup, cases }: Score, target: string): RunScore {
  const isNoise = speedup !== null && isNoisyReward(speedup, cases, target);
  return { timeNs, speedup, ...(isNoise && { noisy: true }) };
}

type StoredCase = Pick<Selectable<Tables["case_result"]>, "status" | "summary">;

/** Returns whether a case was timed or skipped by the problem's own harness. */
function isTimedByHarness({ status, summary }: StoredCase): boolean {
  return status === "passed" ? summary !== null : status === "skipped";
}

/** Returns the score of an imported run, which has no samples but a time given by its source. */
function importedScore(timeNs: number | null): { score: RankedScore; impossible: string | null } | { why: string } {
  const value = timeNs ?? 0;
  const score = { timeNs: { value, low: value, high: value }, speedup: null, cases: [], speedOfLightShare: null };
  if (!isPlausible(score)) return { why: "the time that its source gives is not a positive finite number" };
  const tooFast = value < MIN_PLAUSIBLE_NS;
  return { score, impossible: tooFast ? IMPLAUSIBLE_TIME_MESSAGE : null };
}

function isPlausible({ timeNs, speedup }: Score): boolean {
  return [timeNs, ...(speedup === null ? [] : [speedup])]
    .flatMap(({ value, low, high }) => [value, low, high])
    .every((number) => Number.isFinite(number) && number > 0);
}

function quarantined(check: FlagCheck, message: string): Ending {
  return { verdict: "quarantined", failureClass: null, message, detail: null, score: null, check };
}
