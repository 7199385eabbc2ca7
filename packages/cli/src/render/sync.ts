/** Result of a sync, or preview of a dry run. */
import type { SyncedCompetition, SyncedProblem, SyncOutcome, SyncReport } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, listed, oneLine, wrap } from "../output/text.ts";

const MARKS: Record<SyncOutcome, string> = {
  new: "+",
  changed: "~",
  unchanged: " ",
  kept: "=",
  refused: "!",
  gone: "-",
};

export function syncLines(report: SyncReport, width: number, style: Style): string[] {
  const { source, revision, dryRun, problems, competitions } = report;
  const from = `From ${oneLine(source)}${revision === null ? "" : ` at ${revision.slice(0, 12)}`}`;
  const shown = problems.filter(({ outcome }) => outcome !== "unchanged");
  return [
    ...wrap(`${from}: ${totals(problems)}.`, width),
    ...shown.flatMap((problem) => problemLines(problem, width, style)),
    ...competitions
      .filter(({ outcome }) => outcome !== "unchanged")
      .flatMap((competition) => competitionLines(competition, width, style)),
    ...(dryRun ? ["", "Dry run: nothing was changed."] : []),
  ];
}

function totals(problems: readonly SyncedProblem[]): string {
  const words: Record<SyncOutcome, string> = {
    ...{ new: "new", changed: "changed", unchanged: "unchanged", kept: "kept", refused: "rejected" },
    gone: "missing from the source",
  };
  const parts = Object.entries(words).flatMap(([outcome, word]) => {
    const number = problems.filter((problem) => problem.outcome === outcome).length;
    return number === 0 ? [] : [`${number} ${word}`];
  });
  return `${formatCount(problems.length, "problem")}, ${parts.join(", ")}`;
}

function competitionLines(
  { name, file, outcome, why, changes }: SyncedCompetition,
  width: number,
  style: Style,
): string[] {
  const head = `${MARKS[outcome]} competition ${oneLine(name)}  (${oneLine(file)})`;
  const lines = why === null ? changes.map(({ kind, words }) => `${kind}: ${words}`) : [why];
  return [
    outcome === "refused" ? style.red(head) : outcome === "new" ? style.green(head) : style.yellow(head),
    ...lines.flatMap((text) => inner(text, width)),
  ];
}

function inner(text: string, width: number): string[] {
  return wrap(oneLine(text), width - 4).map((line) => `    ${line}`);
}

function problemLines(
  { name, outcome, why, changes, targets, boardRevisions, yamlMeanings }: SyncedProblem,
  width: number,
  style: Style,
): string[] {
  const colour = {
    ...{ new: style.green, changed: style.yellow, refused: style.red },
    ...{ unchanged: style.dim, kept: style.dim, gone: style.dim },
  };
  const head = `${MARKS[outcome]} ${oneLine(name)}`;
  const meanings = yamlMeanings.flatMap((meaning) => inner(`read as YAML 1.1: ${meaning}`, width));
  switch (outcome) {
    case "new":
      return [`${colour.new(head)}  on ${listed(targets)}`, ...meanings];
    case "gone":
      return [`${colour.gone(head)}  is no longer in the source; kept unchanged`];
    case "kept":
    case "refused":
      return [colour[outcome](head), ...inner(why ?? "", width)];
    case "changed":
    case "unchanged":
      return [
        colour[outcome](head),
        ...(changes.length === 0 ? inner("only comments or its location", width) : []),
        ...changes.flatMap(({ kind, words }) => inner(`${kind}: ${words}`, width)),
        ...boardRevisions.flatMap(({ target, revision, isNew }) =>
          inner(`board on ${target}: ${isNew ? "starts as" : "returns to"} revision ${revision}`, width),
        ),
        ...meanings,
      ];
  }
}
