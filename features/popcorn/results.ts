/** Runs in the shape of the popcorn client. Scores are in seconds, times in nanoseconds. */
import {
  formatCaseFailure,
  caseLine,
  sanitize,
  summarizeRounds,
  type RunDetail,
  type StageResult,
} from "@kernelbot/core";
import { wordOf } from "./terms.ts";

/** Row of `runs`: one stage of a run. */
interface PopcornRun {
  start_time: string | null;
  end_time: string | null;
  mode: string;
  secret: boolean;
  runner: string;
  score: number | null;
  passed: boolean;
  result: Record<string, string> | null;
  /** Output and exit status; absent for rows measured on secret inputs. */
  stdout?: string;
  stderr?: string;
  success?: boolean;
  exit_code?: number;
  duration?: number;
  compilation?: null;
}

/**
 * Returns the rows of a run. A ranked run is measured only on secret inputs, but the client expects a public and a
 * secret row; both contain the same measurement.
 */
export function popcornRuns(run: RunDetail): PopcornRun[] {
  const { startedAt, finishedAt, target, mode, score } = run;
  const row = (change: Partial<PopcornRun>): PopcornRun => ({
    start_time: startedAt,
    end_time: finishedAt,
    mode: wordOf(mode),
    secret: false,
    runner: target,
    score: null,
    passed: run.verdict === "passed",
    result: null,
    ...change,
  });
  if (mode !== "ranked") return [row({ result: stageResult(run, mode), ...printed(run, mode) })];
  const seconds = score === null ? null : score.timeNs.value / 1e9;
  const tested = run.stages.find(({ stage }) => stage === "test");
  return [
    row({ mode: "test", passed: tested?.passed === true, result: stageResult(run, "test"), ...printed(run, "test") }),
    row({ score: seconds }),
    row({ score: seconds, secret: true }),
  ];
}

function printed({ stages, detail, message, verdict }: RunDetail, name: StageResult["stage"]): Partial<PopcornRun> {
  const stage = stages.find((each) => each.stage === name);
  const passed = stage?.passed === true;
  return {
    stdout: sanitize(stage?.output == null ? "" : stage.output.head + stage.output.tail),
    // The client has no other field for the message of a run that passed.
    stderr: sanitize(detail ?? (verdict === "passed" ? (message ?? "") : "")),
    success: verdict === "passed" || verdict === "failed",
    exit_code: passed ? 0 : 1,
    duration: (stage?.durationNs ?? 0) / 1e9,
    compilation: null,
  };
}

/** Returns the cases of a stage under the client's keys; null where the stage was not reached. */
export function stageResult(run: Pick<RunDetail, "stages">, name: StageResult["stage"]): Record<string, string> | null {
  const found = run.stages.find(({ stage }) => stage === name);
  if (found === undefined) return null;
  const kind = name === "test" ? "test" : "benchmark";
  const entries = found.cases.flatMap((result) => {
    const key = `${kind}.${result.index}`;
    return [
      [`${key}.spec`, caseLine(result.case)],
      [`${key}.status`, result.status === "passed" ? "pass" : "fail"],
      ...(result.status === "failed" ? [[`${key}.error`, formatCaseFailure(result)]] : []),
      ...Object.entries(timings(result)).map(([word, value]) => [`${key}.${word}`, String(value)]),
    ];
  });
  return sanitize({
    [`${kind}-count`]: String(found.cases.length),
    ...(Object.fromEntries(entries) as Record<string, string>),
    check: found.passed === true ? "pass" : "fail",
  });
}

/** Returns the timing figures of a case; empty where it was not timed. */
function timings({ rounds, summary }: StageResult["cases"][number]): Record<string, number> {
  if (summary !== null) {
    const { runs, meanNs, stdNs, errNs, bestNs, worstNs } = summary;
    const figures = { runs, mean: meanNs, std: stdNs, err: errNs, best: bestNs, worst: worstNs };
    return Object.fromEntries(
      Object.entries(figures).flatMap(([word, value]) => (value === null ? [] : [[word, value]])),
    );
  }
  const timed = summarizeRounds(rounds);
  if (timed === null) return {};
  const { samples, mean, standardDeviation, standardError, best, worst } = timed.candidate;
  return { runs: samples, mean, std: standardDeviation ?? 0, err: standardError ?? 0, best, worst };
}
