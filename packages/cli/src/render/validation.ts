/** Result of a problem's application. */
import type { ApplicationCase, Validation } from "@kernelbot/core";
import { formatCount, oneLine, wrap } from "../output/text.ts";
import { speedupWords } from "./cases.ts";
import type { Page } from "./page.ts";

/** Formats whether a kernel works in the problem's application, with each case that does not hold or is slower. */
export function validationLines(
  { state, held, cases, speedup }: Validation,
  { width, style }: Pick<Page, "width" | "style">,
): string[] {
  const verdict = state === "validated" ? style.green("validated") : style.red("not validated");
  const share = `${held} of ${formatCount(cases.length, "case")} ${held === 1 ? "holds" : "hold"}`;
  const speed = speedup === null ? "" : `, ${speedupWords(speedup)} as fast as the reference in use`;
  return [
    "",
    `  ${style.bold("Application")}  ${verdict}: ${share}${speed}`,
    ...cases.flatMap((one, index) => caseLines(one, index, width)),
  ];
}

function caseLines({ message, slower, hidden }: ApplicationCase, index: number, width: number): string[] {
  const text = message ?? (slower ? "slower than the reference" : null);
  if (text === null) return [];
  const name = hidden === undefined ? `case ${index + 1}` : `hidden case ${hidden}`;
  return wrap(oneLine(`${name}: ${text}`), width - 4).map((line) => `    ${line}`);
}
