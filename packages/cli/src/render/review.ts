/** Findings of the static review, with a note that they are not a verdict. */
import { REVIEW_SEVERITIES, type ReviewFinding } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, wrap } from "../output/text.ts";

/** Maximum number of findings shown; the rest is counted. */
const SHOWN = 8;

/** Selects the most severe findings, preferring one per rule, and formats them in source order. */
export function reviewLines(findings: readonly ReviewFinding[], width: number, style: Style): string[] {
  if (findings.length === 0) return [];
  const rank = ({ severity }: ReviewFinding) => REVIEW_SEVERITIES.indexOf(severity);
  const isRepeated = (finding: ReviewFinding) => Number(findings.find(({ rule }) => rule === finding.rule) !== finding);
  const sorted = findings.toSorted((a, b) => rank(b) - rank(a) || isRepeated(a) - isRepeated(b));
  const shown = new Set(sorted.slice(0, SHOWN));
  const left = findings.length - shown.size;
  return [
    "",
    `${style.bold("Static review")} (advisory)`,
    ...findings
      .filter((finding) => shown.has(finding))
      .flatMap(({ line, severity, sentence }) => {
        const [first = "", ...rest] = wrap(oneLine(`line ${line}: ${severity}: ${sentence}`), width - 4);
        return [`  ${first}`, ...rest.map((more) => `    ${more}`)];
      }),
    ...(left > 0 ? [`  … and ${formatCount(left, "finding")} more; --json lists all`] : []),
  ];
}
