/** Results of a rehearsal, a run without the target's device, and its limitations. */
import type { Rehearsal } from "@kernelbot/core";
import { oneLine, wrap } from "../output/text.ts";
import type { Page } from "./page.ts";

/** Formats a rehearsal. The first line says that it is not a verdict. */
export function rehearsalLines(
  { target, reason, checked, unchecked }: Rehearsal,
  { width, style }: Pick<Page, "width" | "style">,
): string[] {
  const lines = (sentence: string) => wrap(oneLine(sentence), width - 2).map((line) => `  ${line}`);
  return [
    "",
    ...lines(`Not judged on ${target}: ${reason}.`).map((line) => style.yellow(line)),
    ...checked.flatMap((sentence) => lines(`Checked: ${sentence}`)),
    ...unchecked.flatMap((sentence) => lines(`Not checked: ${sentence}`)),
  ];
}
