/** Results of kernels, computed from their stored runs. */
import { sql, type Selectable } from "kysely";
import {
  countedRounds,
  speedOfLightBound,
  mean,
  pairsOf,
  peakRatesOf,
  scoreCase,
  standardDeviation,
  type KernelResult,
  type Machine,
  type Stage,
  type StopRule,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { stateOf, type KernelRow } from "./kernels.ts";

type Stored = Selectable<Tables["kernelbench_result"]>;

/** Number of runs whose samples are read at once. */
const AT_ONCE = 100;

/** Returns the results of kernels, in the same order. */
export async function resultsOf(database: Database, kernels: readonly KernelRow[]): Promise<KernelResult[]> {
  const judged = kernels.flatMap((kernel) =>
    stateOf(kernel) === "done" && kernel.run_id !== null ? kernel.run_id : [],
  );
  const stored = await storedResults(database, [...new Set(judged)]);
  return kernels.map((kernel) => resultOf(kernel, stored.get(kernel.run_id ?? -1) ?? null));
}

function resultOf(kernel: KernelRow, stored: Stored | null): KernelResult {
  const { level, problem, sample, removed } = kernel;
  const common = {
    ...{ level, problem, sample },
    state: stateOf(kernel),
    sourceHash: kernel.code_hash,
    submissionId: kernel.submission_id,
    runId: kernel.run_id,
  };
  if (stored === null || removed)
    return { ...common, ...noVerdict(removed), message: removed ? REMOVED : kernel.message };
  const passed = kernel.verdict === "passed";
  return {
    ...common,
    compiled: stored.compiled,
    correct: passed && stored.within_tolerance,
    correctByOracle: passed,
    failureClass: kernel.failure_class,
    message: kernel.message,
    timeNs: passed ? interval(stored.time_ns, stored.time_low_ns, stored.time_high_ns) : null,
    samples: passed ? sampleStatistics(stored) : null,
    eagerNs: interval(stored.eager_ns, stored.eager_low_ns, stored.eager_high_ns),
    compiledNs: interval(stored.compiled_ns, stored.compiled_low_ns, stored.compiled_high_ns),
    eagerSpeedup: passed ? interval(stored.eager_speedup, stored.eager_speedup_low, stored.eager_speedup_high) : null,
    compiledSpeedup: passed
      ? interval(stored.compiled_speedup, stored.compiled_speedup_low, stored.compiled_speedup_high)
      : null,
    belowSpeedOfLight: stored.below_speed_of_light,
  };
}

function interval(value: number | null, low: number | null, high: number | null) {
  return value === null || low === null || high === null ? null : { value, low, high };
}

function sampleStatistics(stored: Stored): KernelResult["samples"] {
  const { sample_count: count, sample_mean_ns: meanNs, sample_min_ns: minNs, sample_max_ns: maxNs } = stored;
  if (count === null || meanNs === null || minNs === null || maxNs === null) return null;
  return { count, meanNs, stdNs: stored.sample_std_ns, minNs, maxNs };
}

const REMOVED = "the submission was removed";

/**
 * Returns the verdict fields of a kernel that was not judged (null), or whose submission was removed (counted as
 * incorrect).
 */
function noVerdict(removed: boolean) {
  const verdict = removed ? false : null;
  return {
    ...{ compiled: verdict, correct: verdict, correctByOracle: verdict },
    failureClass: removed ? ("rejected" as const) : null,
    ...{ timeNs: null, samples: null, eagerNs: null, compiledNs: null },
    belowSpeedOfLight: false,
  };
}

/** Returns the stored results of finished runs by run id; missing ones are computed from the samples and stored. */
async function storedResults(database: Database, runIds: readonly number[]): Promise<Map<number, Stored>> {
  const kept = await database.db
    .selectFrom("kernelbench_result")
    .selectAll()
    .where("run_id", "=", sql<number>`any(${[...runIds]}::bigint[])`)
    .execute();
  const results = new Map(kept.map((row) => [row.run_id, row]));
  const missing = runIds.filter((id) => !results.has(id));
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    for (const row of await computeResults(database, missing.slice(at, at + AT_ONCE))) results.set(row.run_id, row);
  }
  return results;
}

async function computeResults({ db }: Database, runIds: readonly number[]): Promise<Stored[]> {
  const { rows: runs } = await sql<SampledRun>`
      select r.id, r.target, v.spec ->> 'stop' as stop, m.description as machine,
        exists (select from stage_result p
          where p.run_id = r.id and p.attempt = r.attempt and p.stage = 'prepare' and p.passed) as compiled,
        coalesce((select json_agg(json_build_object('stage', c.stage, 'off', c.mismatch is not null, 'bytes', c.bytes,
            'operations', c.operations, 'outputBytes', c.output_bytes, 'rounds', c.rounds, 'summary', c.summary)
            order by c.index)
          from case_result c where c.run_id = r.id and c.attempt = r.attempt), '[]') as cases
      from run r
      join problem_version v on v.hash = r.problem_version
      left join machine m on m.hash = r.machine_hash
      where r.id = any(${[...runIds]}::bigint[])`.execute(db);
  const results = runs.map(storedOf);
  await sql`
      insert into kernelbench_result
      select * from json_populate_recordset(null::kernelbench_result, ${jsonText(results)}::text::json)
      on conflict do nothing`.execute(idempotent(db));
  return results;
}

/** A finished run, with the cases of its last attempt. */
interface SampledRun {
  id: number;
  target: string;
  stop: StopRule;
  machine: Machine | null;
  compiled: boolean;
  cases: (Pick<Tables["case_result"], "bytes" | "operations"> & {
    stage: Stage;
    /** Whether an output exceeded the tolerance. */
    off: boolean;
    outputBytes: number | null;
    rounds: Parameters<typeof scoreCase>[0]["rounds"];
    summary: Parameters<typeof scoreCase>[0]["summary"];
  })[];
}

/**
 * Computes the result of a run from its samples. Problems of a suite have one timed case; of several, the last one
 * counts.
 */
function storedOf({ id, target, stop, machine, compiled, cases }: SampledRun): Stored {
  const timed = cases.findLast(({ rounds, summary }) => rounds.length > 0 || summary !== null);
  const score = timed === undefined ? null : scoreCase(timed, target, stop);
  const rival = timed === undefined ? null : scoreCase(compiledOverReference(timed), target, stop);
  const overRival = timed === undefined ? null : scoreCase(besideRival(timed), target, stop);
  const speedOfLight =
    timed === undefined || machine === null ? null : speedOfLightBound(timed, peakRatesOf(machine, target));
  return {
    run_id: id,
    compiled,
    within_tolerance: cases.every(({ off }) => !off),
    time_ns: score?.timeNs.value ?? null,
    time_low_ns: score?.timeNs.low ?? null,
    time_high_ns: score?.timeNs.high ?? null,
    eager_ns: score?.referenceNs?.value ?? null,
    eager_low_ns: score?.referenceNs?.low ?? null,
    eager_high_ns: score?.referenceNs?.high ?? null,
    compiled_ns: rival?.timeNs.value ?? null,
    compiled_low_ns: rival?.timeNs.low ?? null,
    compiled_high_ns: rival?.timeNs.high ?? null,
    eager_speedup: score?.speedup?.value ?? null,
    eager_speedup_low: score?.speedup?.low ?? null,
    eager_speedup_high: score?.speedup?.high ?? null,
    compiled_speedup: overRival?.speedup?.value ?? null,
    compiled_speedup_low: overRival?.speedup?.low ?? null,
    compiled_speedup_high: overRival?.speedup?.high ?? null,
    below_speed_of_light: score !== null && speedOfLight !== null && score.timeNs.value < speedOfLight.ns,
    ...samplesOf(score === null ? undefined : timed),
  };
}

/**
 * Computes statistics of the timed calls in the rounds that count, in nanoseconds; all null without samples. There may be
 * more of them than a call takes arguments.
 */
function samplesOf(timed: Pick<SampledRun["cases"][number], "rounds"> | undefined) {
  const times = countedRounds(timed?.rounds ?? []).flatMap(({ candidateNs }) => candidateNs);
  const some = times.length > 0;
  return {
    sample_count: some ? times.length : null,
    sample_mean_ns: some ? mean(times) : null,
    sample_std_ns: times.length > 1 ? standardDeviation(times) : null,
    sample_min_ns: some ? times.reduce((least, time) => Math.min(least, time)) : null,
    sample_max_ns: some ? times.reduce((most, time) => Math.max(most, time)) : null,
  };
}

/** Returns the case with the compiled model, which is the rival of a duel, in place of the kernel. */
function compiledOverReference({ rounds }: SampledRun["cases"][number]): Parameters<typeof scoreCase>[0] {
  return { rounds: pairsOf(rounds, "rivalNs", "referenceNs"), summary: null };
}

/** Returns the case with the compiled model in place of the reference. */
function besideRival({ rounds }: SampledRun["cases"][number]): Parameters<typeof scoreCase>[0] {
  return { rounds: pairsOf(rounds, "candidateNs", "rivalNs"), summary: null };
}
