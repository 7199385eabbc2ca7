import type { Check } from "@kernelbot/core";
import type { Style } from "../style.ts";
import { oneLine, pad, wrap } from "../text.ts";
import { tick } from "./words.ts";

/** Checks under a question that they answer together. */
export function checkLines(question: string, checks: readonly Check[], columns: number, style: Style): string[] {
  const width = Math.max(...checks.map((check) => check.name.length));
  const indent = " ".repeat(width + 6);
  const told = (text: string) => wrap(oneLine(text), columns - width - 8);
  const can = checks.every((check) => check.ok);
  return [
    `${style.bold(question)} ${can ? style.green("yes") : style.red("no")}`,
    ...checks.flatMap(({ ok, name, detail, fix }) => {
      const [first = "", ...rest] = told(detail);
      return [
        `  ${tick(ok, style)} ${pad(oneLine(name), width)}  ${first}`,
        ...rest.map((line) => indent + line),
        ...(fix === null ? [] : told(fix).map((line, at) => `${indent}${at === 0 ? "→" : " "} ${line}`)),
      ];
    }),
  ];
}
