/** Preview and result of an import, and faults in its files. */
import type { ImportResult, ImportHead } from "@kernelbot/core";
import type { ImportPlan } from "@kernelbot/dataset";
import { formatCount } from "../output/text.ts";

/** Maximum number of faults that a terminal shows; the JSON document has more. */
const SHOWN_FAULTS = 20;

/** Sum of the responses to all batches. */
export type Totals = ImportResult;

export function planLines(plan: ImportPlan, head: ImportHead): string[] {
  const { problems, targets, users, leftOut } = plan;
  const lines: (readonly [number, string])[] = [
    [plan.ranked - plan.implausible, "ranked runs that passed"],
    [plan.implausible, "ranked runs with implausibly short runtimes: quarantined"],
    [plan.passed - plan.ranked, "tests, benchmarks and profiles that passed"],
    [plan.failed, "runs that failed"],
    [plan.cancelled, "runs that were cancelled"],
    [plan.outside, "ranked runs outside the dates: on no leaderboard"],
    [leftOut["without a run"], "rows skipped: no run (no mode)"],
    [leftOut["not judged"], "rows skipped: no result"],
    [plan.faulty, "rows with faults"],
  ];
  return [
    `${head.title} (${head.competition}), ${head.startsAt} to ${head.endsAt}, from ${head.source}:`,
    `  ${formatCount(plan.rows, "row")} of ${formatCount(users, "user")}`,
    `  ${formatCount(problems.length, "problem")}: ${problems.map(({ name }) => name).join(", ")}`,
    `  ${formatCount(targets.length, "target")}: ${targets.join(", ")}`,
    ...lines.flatMap(([rows, words]) => (rows === 0 ? [] : [`  ${rows.toLocaleString("en-US")} ${words}`])),
  ];
}

export function importedLines(totals: Totals, head: ImportHead): string[] {
  const { made, quarantined, known, repeated, accounts, problems } = totals;
  return [
    `Imported into ${head.competition}: ${formatCount(made, "run")} and ${formatCount(accounts, "account")} created.`,
    ...(known === 0 ? [] : [`  ${formatCount(known, "row")} already imported`]),
    ...(repeated === 0 ? [] : [`  ${formatCount(repeated, "row")} skipped: duplicate run of a submission on a target`]),
    ...(quarantined === 0 ? [] : [`  ${formatCount(quarantined, "run")} quarantined for review by a moderator`]),
    `  Problems: ${problems.map(({ name }) => name).join(", ")}`,
  ];
}

export function faultLines({ faulty, faults }: ImportPlan, skipped: boolean): string[] {
  const shown = faults.slice(0, SHOWN_FAULTS);
  const more = faults.length - shown.length;
  return [
    ...shown.map(({ file, row, column, message }) => `${file}: row ${row}, column ${column}: ${message}`),
    ...(more > 0 ? [`and ${more.toLocaleString("en-US")} more; --json lists the first 1,000`] : []),
    skipped
      ? `${formatCount(faulty, "row")} with faults skipped.`
      : `${formatCount(faulty, "row")} with faults (row numbers start at 0); nothing was imported. Fix the file, or use --skip-faulty to import the other rows.`,
  ];
}
