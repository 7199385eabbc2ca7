/** KernelBench suites and the problems of one suite. */
import { formatBytes, formatNs, LEVELS, type Suite, type SuiteSummary } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, listed, oneLine, wrap } from "../output/text.ts";
import { table } from "./table.ts";

const DEGENERACY_WORDS = {
  zeros: "zeros pass",
  independent: "output is independent of the input",
  identity: "an input passes",
};

export function suitesLines(suites: readonly SuiteSummary[], width: number, style: Style): string[] {
  if (suites.length === 0)
    return ["This server has no suites yet; to create one, run kernelbot kernelbench suite upload."];
  const rows = suites.map((suite) => [
    suite.name,
    suite.version.slice(0, 12),
    String(suite.problemCount),
    suite.profile,
    suite.precision,
    listed(suite.targets),
    oneLine(suite.origin),
  ]);
  return table(
    [
      { title: "suite" },
      { title: "version" },
      { title: "problems", side: "right" },
      { title: "profile" },
      { title: "precision" },
      { title: "targets" },
      { title: "origin", shrinks: true },
    ],
    rows,
    width,
    style,
  );
}

export function suiteLines(suite: Suite, width: number, style: Style): string[] {
  const { name, version, profile, precision, targets, origin, problems } = suite;
  const levels = LEVELS.flatMap((level) => {
    const number = problems.filter((each) => each.level === level).length;
    return number > 0 ? [`level ${level}: ${number}`] : [];
  });
  const degenerate = problems.filter(({ inspection }) => inspection.degenerate !== null).length;
  const rows = problems.map(({ level, problem, fileName, inspection }) => [
    `${level}/${problem}`,
    oneLine(fileName),
    formatBytes(inspection.inputBytes),
    formatNs(inspection.forwardS * 1e9),
    [
      ...(inspection.failure === undefined ? [] : [style.yellow(`not inspected: ${oneLine(inspection.failure)}`)]),
      ...(inspection.degenerate === null ? [] : [style.yellow(DEGENERACY_WORDS[inspection.degenerate])]),
      ...(inspection.isRandom ? ["random"] : []),
    ].join(", "),
  ]);
  return [
    `${style.bold(name)}, version ${version.slice(0, 12)}, profile ${profile}, ${precision}, on ${listed(targets)}`,
    ...wrap(`Origin: ${oneLine(origin)}`, width),
    ...wrap(
      `${formatCount(problems.length, "problem")} (${listed(levels)}); ${degenerate} degenerate and excluded from robust metrics.`,
      width,
    ),
    "",
    ...table(
      [
        { title: "problem", side: "right" },
        { title: "file", shrinks: true },
        { title: "inputs", side: "right" },
        { title: "forward pass", side: "right" },
        { title: "" },
      ],
      rows,
      width,
      style,
    ),
  ];
}
