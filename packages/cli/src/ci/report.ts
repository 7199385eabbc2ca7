/** Report of changed kernels in Markdown, for a step summary and a comment. */
import { codeSpan, formatRatio, formatTiming, markdownTable, type Estimate } from "@kernelbot/core";
import type { JudgedKernel } from "./judge.ts";

/** First line of the comment, by which it is found again; invisible when rendered. */
export const MARK = "<!-- kernelbot:duel -->";

const TITLE = "### Kernels: change against base";

export const NOT_FOR_FORKS = [
  MARK,
  TITLE,
  "Not judged: this pull request comes from a fork, to which GitHub gives no secrets, so there is no `KERNELBOT_TOKEN`. " +
    "A maintainer can judge it by pushing its commits to a branch of this repository.",
].join("\n\n");

export function formatReport(judged: readonly JudgedKernel[]): string {
  return [MARK, TITLE, ...judged.flatMap(kernelParts)].join("\n\n");
}

function kernelParts(kernel: JudgedKernel): string[] {
  const { path, problem, target, page, correct, sentence, message, cases, ratio } = kernel;
  const where = problem === "" ? "" : `, ${codeSpan(problem)} on ${codeSpan(target)}`;
  const link = page === null ? "" : ` [Duel](${page})`;
  const mark = correct === null ? "not judged" : correct ? "correct" : "**incorrect**";
  const verdict = correct === null ? codeSpan(sentence, 300) : `${capitalized(sentence)}.`;
  const all = { case: "all", base: null, change: null, ratio };
  const rows = cases.length > 1 ? [...cases, all] : cases.length === 1 ? cases : ratio === null ? [] : [all];
  return [
    `#### ${codeSpan(path)}${where}`,
    `${mark}: ${verdict}${link}`,
    ...(message === null ? [] : [codeSpan(message, 300)]),
    ...(rows.length === 0 ? [] : [table(rows)]),
  ];
}

function table(rows: JudgedKernel["cases"]): string {
  return markdownTable(
    ["case", "base", "change", "speedup of the change (95 % interval)"],
    rows.map((row) => [
      row.case === "all" ? "all cases" : codeSpan(row.case),
      time(row.base),
      time(row.change),
      speedup(row.ratio),
    ]),
  );
}

function time(interval: Estimate | null): string {
  return interval === null ? "" : formatTiming(interval);
}

function speedup(ratio: Estimate | null): string {
  if (ratio === null) return "–";
  return `${formatRatio(ratio.value)} (${formatRatio(ratio.low)} to ${formatRatio(ratio.high)})`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
