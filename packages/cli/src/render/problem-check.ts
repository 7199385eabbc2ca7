/** Formats the findings of a problem check. */
import type { CheckedProblem, ProblemFinding, ProblemsChecked, ProblemSeverity } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, wrap } from "../output/text.ts";

const INDENT = "      ";

/** Formats one problem in a line, followed by its findings. */
export function problemLines(
  { directory, judged, tookS, findings }: CheckedProblem,
  style: Style,
  columns: number,
): string[] {
  const { examples, attacks } = judged;
  const what = `${formatCount(examples, "example")} and ${formatCount(attacks, "attack")} judged, ${tookS.toFixed(1)} s`;
  return [
    `${style.bold(oneLine(directory))}  ${summary(findings, style)}  ${style.dim(what)}`,
    ...findings.flatMap((finding) => findingLines(finding, style, columns)),
  ];
}

/** Formats the summary line. */
export function totalLine({ ok, tookS, problems }: ProblemsChecked): string {
  const having = (level: ProblemSeverity): number =>
    problems.filter(({ findings }) => number(findings, level) > 0).length;
  const warned = having("warning");
  const verdict = (ok ? "no errors" : `errors in ${having("error")}`) + (warned === 0 ? "" : `, warnings in ${warned}`);
  return `${formatCount(problems.length, "problem")}: ${verdict}; ${tookS.toFixed(1)} s.`;
}

function findingLines({ severity, check, where, what, todo }: ProblemFinding, style: Style, columns: number): string[] {
  const mark = { error: style.red, warning: style.yellow, note: style.dim }[severity];
  const wrapped = (text: string) => wrap(oneLine(text), columns - INDENT.length);
  return [
    `  ${mark(severity)} ${oneLine(where)} ${style.dim(`[${check}]`)}`,
    ...wrapped(what).map((line) => INDENT + line),
    ...(todo === null ? [] : wrapped(`→ ${todo}`).map((line) => INDENT + line)),
  ];
}

function summary(findings: readonly ProblemFinding[], style: Style): string {
  const parts = [
    [number(findings, "error"), "error", style.red] as const,
    [number(findings, "warning"), "warning", style.yellow] as const,
    [number(findings, "note"), "note", style.dim] as const,
  ];
  const counts = parts.flatMap(([many, word, mark]) => (many === 0 ? [] : mark(formatCount(many, word))));
  return counts.length === 0 ? style.green("no findings") : counts.join(", ");
}

function number(findings: readonly ProblemFinding[], level: ProblemSeverity): number {
  return findings.filter(({ severity }) => severity === level).length;
}
