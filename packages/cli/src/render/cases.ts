/** Formats the cases of a stage: mismatches or times. */
import {
  formatCaseFailure,
  caseLine,
  formatRatio,
  formatShare,
  formatTiming,
  formatOracleMismatch,
  formatDifferences,
  formatSlowCalls,
  fractionOfSpeedOfLight,
  type CaseScore,
  type StageResult,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, wrap } from "../output/text.ts";
import { table } from "./table.ts";
import { tick } from "./format.ts";

type CaseResult = StageResult["cases"][number];

/** Formats the speedup over the reference; a dash when no reference was timed. */
export function speedupWords(speedup: CaseScore["speedup"]): string {
  return speedup === null ? "–" : formatRatio(speedup.value);
}

/** Maximum number of failed cases whose mismatch positions are shown. */
const MAX_CASES_WITH_DIFFERENCES = 2;

/** Formats checked cases: each with a mark, and failed ones with their mismatches. */
export function checkedCases(cases: readonly CaseResult[], width: number, style: Style): string[] {
  const withDifferences = new Set(
    cases
      .filter(({ status, mismatch }) => status === "failed" && mismatch !== null)
      .slice(0, MAX_CASES_WITH_DIFFERENCES),
  );
  const ran = cases.filter(({ status }) => status !== "skipped");
  const skipped = cases.length - ran.length;
  return [
    ...ran.flatMap((result) => {
      const { status, mismatch } = result;
      const name = `${tick(status === "passed", style)} ${caseName(result)}`;
      const note = formatOracleMismatch(result);
      if (status === "passed")
        return [name, ...(note === null ? [] : wrap(note, width - 5).map((line) => `     ${line}`))];
      const differences = mismatch !== null && withDifferences.has(result) ? formatDifferences(mismatch) : [];
      return [
        name,
        ...wrap(formatCaseFailure(result), width - 5).map((line) => `     ${line}`),
        ...differences.map((line) => `     ${style.dim(line)}`),
      ];
    }),
    ...(skipped === 0 ? [] : [style.dim(`· ${formatCount(skipped, "case")} skipped`)]),
  ];
}

function caseName({ index, case: values }: CaseResult): string {
  return `${index + 1}  ${oneLine(caseLine(values))}`;
}

/** Formats timed cases as a table: times, speedups over the reference and, if known, the share of speed of light. */
export function timedCases(cases: readonly CaseResult[], width: number, style: Style): string[] {
  const hasBound = cases.some(({ speedOfLight }) => speedOfLight !== null);
  const rows = cases.map((result) => [
    `${tick(result.status === "skipped" ? null : result.status === "passed", style)} ${result.index + 1}`,
    caseLine(result.case),
    ...(result.score === null
      ? ["–", "–", "–"]
      : [
          formatTiming(result.score.timeNs),
          result.score.referenceNs === null ? "–" : formatTiming(result.score.referenceNs),
          style.bold(speedupWords(result.score.speedup)),
        ]),
    ...(hasBound ? [speedOfLightShare(result)] : []),
  ]);
  const times = table(
    [
      { title: "" },
      { title: "case", shrinks: true },
      { title: "runtime", side: "right" },
      { title: "reference", side: "right" },
      { title: "speedup", side: "right" },
      ...(hasBound ? [{ title: "of speed of light", side: "right" } as const] : []),
    ],
    rows,
    width,
    style,
  );
  const notes = cases.flatMap((result) =>
    [formatOracleMismatch(result), formatSlowCalls(result.score)].flatMap((note) =>
      note === null ? [] : wrap(`case ${result.index + 1}: ${note}`, width),
    ),
  );
  return [...times, ...notes];
}

/** Formats the speed-of-light bound as a share of the case's time: `12 %`. */
function speedOfLightShare({ score, speedOfLight }: CaseResult): string {
  return score === null || speedOfLight === null
    ? "–"
    : formatShare(fractionOfSpeedOfLight(score.timeNs.value, speedOfLight));
}
