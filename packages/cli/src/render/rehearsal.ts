/** Results of a rehearsal, a try without the target's device, and what it cannot show. */
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
  const mark = `This is no judgement on ${target}: ${reason}.`;
  return [
    "",
    ...wrap(oneLine(mark), width - 2).map((line) => `  ${style.yellow(line)}`),
    ...list("Checked on the processor", checked),
    ...list("Not checked", unchecked),
  ];
}
