/** Formats a run as plain text, for Discord and other clients that show only a message. */
import { infraErrorAdvice } from "../run/advice.ts";
import { formatCaseFailure, formatOracleMismatch, formatDifferences } from "../run/case-failure.ts";
import { machineName } from "../machine/machine.ts";
import { caseLine } from "../vocabulary/case-line.ts";
import type { RunDetail, StageResult } from "./submission.ts";
import { sanitize, formatCount, oneLine } from "../text/text.ts";
import { formatScore } from "../score/format-score.ts";
import { marksOf, NOISY_MEANS } from "../score/marks.ts";
import { formatNs, formatRatio, formatTiming } from "../text/units.ts";
import { detailTitle, formatVerdict } from "../vocabulary/states.ts";

type CaseResult = StageResult["cases"][number];

/**
 * Maximum number of lines kept of a long text printed by the kernel: one half from its head, the other from its tail.
 */
const KEPT_LINES = 60;

/**
 * Formats a run from its verdict down to the output of the kernel. Untrusted text is sanitized and indented, so that it
 * cannot be mistaken for a line of the report.
 */
export function runReport(found: Omit<RunDetail, "id" | "submissionId">): string {
  const run = sanitize(found);
  return [
    `${run.target}: ${run.verdict === null ? run.state : formatVerdict(run.verdict, run.failureClass)}${scoreWords(run)}`,
    ...(run.message === null ? [] : [oneLine(run.message)]),
    ...(run.verdict === "infra_error" ? [infraErrorAdvice(run)] : []),
    ...(run.verdict === "quarantined" ? ["It is not ranked unless a moderator accepts it."] : []),
    ...(run.score?.noisy ? [NOISY_MEANS] : []),
    ...(run.unsandboxed ? ["Judged without a sandbox: this result can be forged."] : []),
    ...(run.machine === null ? [] : [`on ${oneLine(machineName(run.machine))}`]),
    ...run.stages.flatMap(stageLines),
    ...quoted(detailTitle(run.failureClass), run.detail),
    ...run.stages.flatMap(({ stage, output }) => quoted(`Output of stage ${stage}`, outputText(output))),
  ].join("\n");
}

function scoreWords(run: Omit<RunDetail, "id" | "submissionId">): string {
  if (run.score === null) return "";
  return `, ${[formatScore(run.score), ...marksOf({ ...run, noisy: run.score.noisy })].join(", ")}`;
}

function stageLines({ stage, passed, cases }: StageResult): string[] {
  if (cases.length === 0) return ["", `${mark(passed)} ${stage}`];
  const passing = cases.filter(({ status }) => status === "passed").length;
  return [
    "",
    `${mark(passed)} ${stage}: ${passing} of ${formatCount(cases.length, "case")} passed`,
    ...cases.flatMap(caseLines),
  ];
}

function caseLines(result: CaseResult): string[] {
  const { status, score, mismatch } = result;
  const head = `  ${mark(status === "skipped" ? null : status === "passed")} ${result.index + 1}  ${oneLine(caseLine(result.case))}`;
  if (status === "skipped") return [`${head}  skipped`];
  if (status === "failed") {
    return [
      head,
      ...[formatCaseFailure(result), ...(mismatch === null ? [] : formatDifferences(mismatch))].map(
        (line) => `       ${line}`,
      ),
    ];
  }
  const note = formatOracleMismatch(result);
  const notes = note === null ? [] : [`       ${note}`];
  if (score === null) return [head, ...notes];
  const reference = score.referenceNs === null ? "" : `, reference ${formatNs(score.referenceNs.value)}`;
  const speedup = score.speedup === null ? "" : `, ${formatRatio(score.speedup.value)}`;
  return [head, `       ${formatTiming(score.timeNs)}${reference}${speedup}`, ...notes];
}

function mark(passed: boolean | null): string {
  return passed === null ? "·" : passed ? "✓" : "✗";
}

function outputText(output: StageResult["output"]): string | null {
  if (output === null) return null;
  if (output.droppedBytes === 0) return output.head + output.tail;
  return `${output.head.replace(/\n$/, "")}\n… ${formatCount(output.droppedBytes, "byte")} left out …\n${output.tail}`;
}

function quoted(title: string, text: string | null): string[] {
  if (text === null || text.trim() === "") return [];
  const lines = text.replace(/(?<!\n)\n+$/, "").split("\n");
  const omitted = lines.length - KEPT_LINES;
  const excerpt =
    omitted <= 1
      ? lines
      : [...lines.slice(0, KEPT_LINES / 2), `… ${omitted} lines omitted …`, ...lines.slice(-KEPT_LINES / 2)];
  return ["", `${title}:`, ...excerpt.map((line) => `  | ${line}`)];
}
