/** Formats a comparison of two kernels: cases, the verdict in a sentence, machines and sources. */
import {
  caseLine,
  formatRatio,
  formatTiming,
  formatRelation,
  type CaseRelation,
  type ComparedSubmissions,
  type Comparison,
  type Relation,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { oneLine, wrap } from "../output/text.ts";
import { speedupWords } from "./cases.ts";
import { diffLines } from "./diff.ts";
import { table } from "./table.ts";

export function comparisonLines(compared: ComparedSubmissions, width: number, style: Style): string[] {
  const names = { a: nameOf(compared.a), b: nameOf(compared.b) };
  return [...factLines(compared, width, style), "", ...diffLines(compared.diff, names, style)];
}

/** Formats the comparison without the diff of the sources. */
export function factLines(compared: ComparedSubmissions, width: number, style: Style): string[] {
  const { board, target, a, b, comparison } = compared;
  const [nameA, nameB] = [nameOf(a), nameOf(b)];
  const origin = (letter: string, name: string, { account, mode, createdAt }: ComparedSubmissions["a"]) =>
    `${letter}  ${name}, ${oneLine(account.name)}, mode ${mode}, ${createdAt.slice(0, 16).replace("T", " ")}`;
  return [
    `${style.bold(board)} on ${style.bold(target)}`,
    origin("A", nameA, a),
    origin("B", nameB, b),
    "",
    ...relationTable(comparison.cases, width, style),
    "",
    ...verdictLines(comparison, { a: `A (${nameA})`, b: `B (${nameB})` }, width, style),
    ...machineLines(comparison, width, style),
  ];
}

function nameOf({ submissionId, fileName }: ComparedSubmissions["a"]): string {
  return `${submissionId} ${oneLine(fileName)}`;
}

/** Formats the cases with both times and their ratio. */
export function relationTable(cases: readonly CaseRelation[], width: number, style: Style): string[] {
  if (cases.length === 0) return [];
  const rows = cases.map(({ case: values, a, b, ...relation }) => [
    caseLine(values),
    a === null ? "–" : formatTiming(a.timeNs),
    b === null ? "–" : formatTiming(b.timeNs),
    speedupWords(a?.speedup ?? null),
    speedupWords(b?.speedup ?? null),
    ratioWords(relation, style),
  ]);
  return table(
    [
      { title: "case", shrinks: true },
      { title: "runtime of A", side: "right" },
      { title: "runtime of B", side: "right" },
      { title: "speedup of A", side: "right" },
      { title: "of B", side: "right" },
      { title: "A over B", side: "right" },
    ],
    rows,
    width,
    style,
  );
}

/** Formats a ratio: `1.250× (1.180× to 1.310×)`; coloured only when the difference is significant. */
function ratioWords({ ratio, faster }: Relation, style: Style): string {
  if (ratio === null) return "–";
  const words = `${formatRatio(ratio.value)} (${formatRatio(ratio.low)} to ${formatRatio(ratio.high)})`;
  return faster === null ? words : faster === "a" ? style.green(words) : style.red(words);
}

function verdictLines(comparison: Comparison, names: { a: string; b: string }, width: number, style: Style): string[] {
  const { reason } = comparison;
  return [
    ...wrap(`${formatRelation(comparison, names)}.`, width).map(style.bold),
    ...(reason === null ? [] : wrap(`Note: ${reason}.`, width)),
  ];
}

function machineLines({ machines }: Comparison, width: number, style: Style): string[] {
  if (machines.length === 0) return [];
  const rows = machines.map(({ what, a, b }) => [what, a ?? "none", b ?? "none"]);
  return [
    "",
    ...table([{ title: "machine" }, { title: "of A" }, { title: "of B", shrinks: true }], rows, width, style),
  ];
}
