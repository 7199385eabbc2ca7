/** KernelBench entries: metrics with their populations, kernels, and progress. */
import {
  EXCESSIVE_SPEEDUP,
  excessiveSpeedups,
  FAILURE_CLASS_LABELS,
  FAST_P,
  formatNs,
  formatRatio,
  KERNEL_STATES,
  kernelKeyText,
  scoredKernels,
  speedupBy,
  type BaselineChoice,
  type BaselineTime,
  type KernelBenchEntry,
  type KernelBenchScore,
  type KernelBenchEntrySummary,
  type ExcessiveSpeedup,
  type FailureClass,
  type KernelBenchFigures,
  type KernelResult,
  type RobustKernelBenchFigures,
  type Fraction,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, wrap } from "../output/text.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

interface Page {
  width: number;
  style: Style;
}

/** Formats a list of entries in the server's order, best first. */
export function entriesLines(entries: readonly KernelBenchEntrySummary[], { width, style }: Page): string[] {
  if (entries.length === 0) return ["No entries yet. To submit one: kernelbot kernelbench submit"];
  const rows = entries.map(({ id, metadata, suite, target, publishedAt, progress, score: { overall } }) => [
    String(id),
    oneLine(metadata.display_name),
    suite,
    target,
    shareWords(overall.correct),
    shareWords(fastOf(overall, 1).atLeast),
    overall.geoMean === null ? "–" : formatRatio(overall.geoMean),
    publishedAt === null ? `draft, ${progressWords(progress)}` : publishedAt.slice(0, 10),
  ]);
  return table(
    [
      { title: "id", side: "right" },
      { title: "model", shrinks: true },
      { title: "suite" },
      { title: "target" },
      { title: "correct", side: "right" },
      { title: "Fast@1", side: "right" },
      { title: "GeoMean", side: "right" },
      { title: "published" },
    ],
    rows,
    width,
    style,
  );
}

/** Formats an entry with its metrics and failure counts. */
export function entryLines(entry: KernelBenchEntry, page: Page, stored: readonly BaselineTime[] = []): string[] {
  const { id, metadata, suite, suiteVersion, target, account, createdAt, publishedAt, progress } = entry;
  const { style } = page;
  const by = metadata.organization === "" ? "" : `, ${oneLine(metadata.organization)}`;
  return [
    `${style.bold(oneLine(metadata.display_name))}${by}, entry ${id} of ${oneLine(account.name)}, ${moment(createdAt)}`,
    `${suite} (version ${suiteVersion.slice(0, 12)}) on ${target}, ${publishedAt === null ? "a draft" : `published ${moment(publishedAt)}`}`,
    progressWords(progress),
    "",
    ...scoreLines(entry.score, page),
    ...excessiveLines(excessiveSpeedups(scoredKernels(entry.results, entry.score.baseline, stored))),
    ...failureLines(entry.results, page),
  ];
}

/** Formats the progress: `238 of 250 kernels done, 2 running, 10 queued`. */
export function progressWords(progress: KernelBenchEntrySummary["progress"]): string {
  const all = KERNEL_STATES.reduce((sum, state) => sum + progress[state], 0);
  const others = (["running", "queued", "waiting", "lost"] as const).flatMap((state) => {
    const number = progress[state];
    return number > 0 ? [`${number} ${state}`] : [];
  });
  return [`${progress.done} of ${formatCount(all, "kernel")} done`, ...others].join(", ");
}

/** Length of the longest metric name, so that the columns of both tables align. */
const LABEL_COLUMNS = "kernels for problems".length;

const ROBUST_HEADING =
  "Robust metrics, without degenerate problems, with correctness judged against float64, and results faster than the " +
  "speed-of-light bound as incorrect:";
/** Heading for results measured elsewhere, of which neither a float64 verdict nor a bound is known. */
export const MEASURED_ROBUST_HEADING = "Robust metrics, without degenerate problems:";

/**
 * Formats the metrics: a column for all problems and one per level; each cell includes its population. Robust metrics need
 * the degenerate problems of a suite.
 */
export function scoreLines(
  score: KernelBenchScore,
  { width, style }: Page,
  robustHeading: string = ROBUST_HEADING,
): string[] {
  const { overall, levels, robust, robustLevels } = score;
  const columns = [
    { title: " ".repeat(LABEL_COLUMNS), side: "left" as const },
    ...["all", ...levels.map(({ level }) => `level ${level}`)].map((title) => ({ title, side: "right" as const })),
  ];
  const official = [overall, ...levels];
  const robusts = [robust, ...robustLevels];
  const rows = [
    ["kernels for problems", ...official.map(({ submitted, problems }) => `${submitted}/${problems}`)],
    ["compiled", ...official.map(({ compiled }) => shareWords(compiled))],
    ...figureRows(official),
  ];
  const robustRows = [
    ["excluded problems", ...robusts.map(({ degenerate }) => String(degenerate))],
    ...figureRows(robusts),
    ["GeoMean of all", ...robusts.map(({ geoMeanOfAll }) => (geoMeanOfAll === null ? "–" : formatRatio(geoMeanOfAll)))],
    ["faster than bound", ...robusts.map(({ belowSpeedOfLight }) => String(belowSpeedOfLight))],
  ];
  const on = score.hardware.length === 0 ? "" : `, on ${score.hardware.map(oneLine).join(", ")}`;
  const by = score.evaluators.length === 0 ? "" : `, judged by version ${score.evaluators.map(oneLine).join(", ")}`;
  return [
    ...wrap(`Official metrics, against ${baselineWords(score.baseline)}${on}${by}:`, width),
    ...table(columns, rows, width, style),
    ...(score.suiteVersion === ""
      ? []
      : ["", ...wrap(robustHeading, width), ...table(columns, robustRows, width, style)]),
    ...score.passAtK.map(
      ({ k, value, problems }) =>
        `pass@${k}  ${percent(value)} of ${formatCount(problems, "problem")} with at least ${formatCount(k, "sample")}`,
    ),
  ];
}

function baselineWords(baseline: BaselineChoice): string {
  switch (baseline.kind) {
    case "eager":
      return "the eager model of the same session";
    case "compiled":
      return "the compiled model of the same session";
    case "stored":
      return `the stored baseline ${oneLine(baseline.id)}`;
  }
}

function figureRows(figures: readonly (KernelBenchFigures | RobustKernelBenchFigures)[]): string[][] {
  return [
    ["correct", ...figures.map(({ correct }) => shareWords(correct))],
    ["GeoMean of correct", ...figures.map(geoMeanWords)],
    ...FAST_P.filter((p) => p >= 1).flatMap((p) => [
      [`Fast@${p} (>=)`, ...figures.map((each) => shareWords(fastOf(each, p).atLeast))],
      [`Fast@${p} (>)`, ...figures.map((each) => shareWords(fastOf(each, p).above))],
    ]),
  ];
}

/** Formats a geometric mean: `0.711× of 178`. */
function geoMeanWords({ geoMean, geoMeanOf }: KernelBenchFigures): string {
  return geoMean === null ? "–" : `${formatRatio(geoMean)} of ${geoMeanOf}`;
}

/** Formats a share: `178/250 71.2 %`. */
function shareWords({ count, of }: Fraction): string {
  return of === 0 ? "–" : `${count}/${of} ${percent(count / of)}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function fastOf({ fast }: KernelBenchFigures, p: number): { atLeast: Fraction; above: Fraction } {
  const none = { count: 0, of: 0 };
  return fast.find((each) => each.p === p) ?? { atLeast: none, above: none };
}

/** Lists kernels with implausibly high speedups. */
export function excessiveLines(excessive: readonly ExcessiveSpeedup[]): string[] {
  if (excessive.length === 0) return [];
  const rows = excessive.map(({ key, speedup }) => `  ${key}  ${formatRatio(speedup)}`);
  return [
    "",
    `More than ${EXCESSIVE_SPEEDUP} times as fast as the baseline, which is rarely genuine; review these kernels:`,
    ...rows,
  ];
}

/** Counts failed kernels by failure class; only sample 0 counts. */
function failureLines(results: readonly KernelResult[], { width, style }: Page): string[] {
  const counts = new Map<FailureClass, number>();
  for (const { sample, failureClass } of results) {
    if (sample === 0 && failureClass !== null) counts.set(failureClass, (counts.get(failureClass) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const rows = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, number]) => [FAILURE_CLASS_LABELS[name], String(number)]);
  return ["", ...table([{ title: "failure class" }, { title: "kernels", side: "right" }], rows, width, style)];
}

/**
 * Formats an ended kernel: `level_1_problem_19_sample_0 correct, 12.34 µs, 1.250×`, `level_2_problem_1_sample_0 wrong
 * result: 1 of 9 differs`.
 */
export function endedLine(result: KernelResult): string {
  const { timeNs, message } = result;
  const speedup = speedupBy({ kind: "eager" })(result)?.value ?? null;
  const parts = [kernelStatus(result), ...(timeNs === null ? [] : [formatNs(timeNs.value)])];
  if (speedup !== null) parts.push(formatRatio(speedup));
  return `${kernelKeyText(result)} ${parts.join(", ")}${message === null ? "" : `: ${oneLine(message)}`}`;
}

function kernelStatus({ state, correct, failureClass }: KernelResult): string {
  if (state === "lost") return "lost";
  if (failureClass !== null) return FAILURE_CLASS_LABELS[failureClass];
  return correct === true ? "correct" : "out of tolerance";
}

/** Formats the failed and lost kernels with their messages. */
export function failedLines(results: readonly KernelResult[], { width, style }: Page): string[] {
  const failed = results.filter(({ state, correct }) => state === "lost" || (state === "done" && correct === false));
  if (failed.length === 0) return ["No kernel failed."];
  const rows = failed.map((result) => [
    kernelKeyText(result),
    kernelStatus(result),
    result.submissionId === null ? "–" : String(result.submissionId),
    oneLine(result.message ?? ""),
  ]);
  return table(
    [
      { title: "kernel" },
      { title: "status" },
      { title: "submission", side: "right" },
      { title: "message", shrinks: true },
    ],
    rows,
    width,
    style,
  );
}
