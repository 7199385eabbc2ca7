/** Results of a duel: its cases, the verdict in a sentence, and the rival's failure. */
import { formatDuel, type DuelResult, type Side, type Submission } from "@kernelbot/core";
import { oneLine, wrap } from "../output/text.ts";
import { relationTable } from "./compare.ts";
import type { Page } from "./page.ts";
import { textBlock } from "./run.ts";

/** Display names of the two sides. */
export function duelNames({ fileName, rival }: Pick<Submission, "fileName" | "rival">): Record<Side, string> {
  return { a: `A (${oneLine(fileName)})`, b: `B (${oneLine(rival?.fileName ?? "rival")})` };
}

/** Formats a duel. The failure of side A is omitted, since it is part of its run. */
export function duelLines(duel: DuelResult, names: Record<Side, string>, page: Page): string[] {
  const { width, style } = page;
  const { b } = duel.failures;
  return [
    "",
    ...relationTable(duel.cases, width, style),
    ...(duel.cases.length === 0 ? [] : [""]),
    ...wrap(`${formatDuel(duel, names)}.`, width).map(style.bold),
    ...(b === null ? [] : wrap(oneLine(b.message), width)),
    ...textBlock("Traceback of B", b?.detail ?? null, page),
  ];
}
