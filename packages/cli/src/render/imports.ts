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
    [plan.implausible, "ranked runs that are faster than a kernel can be: quarantined"],
    [plan.passed - plan.ranked, "tests, benchmarks and profiles that passed"],
    [plan.failed, "runs that failed"],
    [plan.cancelled, "runs that were cancelled"],
    [plan.outside, "of the ranked ones not between the dates: on no board"],
    [leftOut["without a run"], "rows left out, since they tell of no run: they have no mode"],
    [leftOut["not judged"], "rows left out, since they do not tell how it came out"],
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
    `Imported into ${head.competition}: ${formatCount(made, "run")} made, ${formatCount(accounts, "account")} made.`,
    ...(known === 0 ? [] : [`  ${formatCount(known, "row")} imported before`]),
    ...(repeated === 0
      ? []
      : [`  ${formatCount(repeated, "row")} left out that repeat a run of a submission on its target`]),
    ...(quarantined === 0 ? [] : [`  ${formatCount(quarantined, "run")} quarantined, for a moderator to look at`]),
    `  Problems: ${problems.map(({ name }) => name).join(", ")}`,
  ];
}

export function faultLines({ faulty, faults }: ImportPlan, skipped: boolean): string[] {
  const shown = faults.slice(0, SHOWN_FAULTS);
  const more = faults.length - shown.length;
  return [
    ...shown.map(({ file, row, column, message }) => `${file}: row ${row}, column ${column}: ${message}`),
    ...(more > 0 ? [`and ${more.toLocaleString("en-US")} more; --json tells the first thousand`] : []),
    skipped
      ? `${formatCount(faulty, "row")} with faults left out.`
      : `${formatCount(faulty, "row")} with faults, counted from row 0; nothing was imported. Mend the file, or give --skip-faulty to import the others.`,
  ];
}
