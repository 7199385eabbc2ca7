/** Results of a rehearsal, a run without the target's device, and its limitations. */
import type { Rehearsal } from "@kernelbot/core";
import { oneLine, wrap } from "../output/text.ts";
import type { Page } from "./page.ts";

/** Formats a rehearsal. The first line says that it is not a verdict. */
export function rehearsalLines(
  { target, reason, checked, unchecked }: Rehearsal,
  { width, style }: Pick<Page, "width" | "style">,
): string[] {
  const list = (title: string, sentences: readonly string[]) =>
    sentences.length === 0
      ? []
      : [
          "",
          `  ${style.bold(title)}`,
          ...sentences.flatMap((one) =>
            wrap(oneLine(one), width - 4).map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`)),
          ),
        ];
  const mark = `Not judged on ${target}: ${reason}.`;
  return [
    "",
    ...wrap(oneLine(mark), width - 2).map((line) => `  ${style.yellow(line)}`),
    ...list("Checked on the CPU", checked),
    ...list("Not checked", unchecked),
  ];
}
