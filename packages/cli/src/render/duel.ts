/** How a duel came out: its cases, the verdict in a sentence, and what was wrong with the rival. */
import { duelSentence, type DuelResult, type Side, type Submission } from "@kernelbot/core";
import { oneLine, wrap } from "../text.ts";
import { relationTable } from "./compare.ts";
import type { Page } from "./page.ts";
import { textBlock } from "./run.ts";

/** What the sides are called. */
export function duelNames({ fileName, rival }: Pick<Submission, "fileName" | "rival">): Record<Side, string> {
  return { a: `A (${oneLine(fileName)})`, b: `B (${oneLine(rival?.fileName ?? "rival")})` };
}

/** A's failure stands in its run already. */
export function duelLines(duel: DuelResult, names: Record<Side, string>, page: Page): string[] {
  const { width, style } = page;
  const { b } = duel.failures;
  return [
    "",
    ...relationTable(duel.cases, width, style),
    ...(duel.cases.length === 0 ? [] : [""]),
    ...wrap(`${duelSentence(duel, names)}.`, width).map(style.bold),
    ...(b === null ? [] : wrap(oneLine(b.message), width)),
    ...textBlock("Traceback of B", b?.detail ?? null, page),
  ];
}
