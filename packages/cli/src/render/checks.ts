import type { Check } from "@kernelbot/core";
import type { Style } from "../style.ts";
import { oneLine, pad } from "../text.ts";
import { tick } from "./words.ts";

/** Checks under a question that they answer together. */
export function checkLines(question: string, checks: readonly Check[], style: Style): string[] {
  const width = Math.max(...checks.map((check) => check.name.length));
  const can = checks.every((check) => check.ok);
  return [
    `${style.bold(question)} ${can ? style.green("yes") : style.red("no")}`,
    ...checks.flatMap((check) => [
      `  ${tick(check.ok, style)} ${pad(oneLine(check.name), width)}  ${oneLine(check.detail)}`,
      ...(check.ok || check.fix === null ? [] : [`    ${" ".repeat(width)}  → ${oneLine(check.fix)}`]),
    ]),
  ];
}
