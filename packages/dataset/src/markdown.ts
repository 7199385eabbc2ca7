/** Markdown of texts that others wrote: a title stays a title, whatever it holds. */
import { cleaned, oneLine } from "@kernelbot/core";

/** What Markdown reads as more than a sign: of marks, links, HTML, tables, formulas and addresses. */
const SIGNS = /[\\`*_[\]<>&|~$#!{}@]|:(?=\/\/)|(?<=www)\./gi;

/** A text on one line that Markdown shows as it is: no link, no picture, no HTML, no end of a table's cell. */
export function plain(text: string): string {
  return oneLine(cleaned(text)).replace(SIGNS, "\\$&");
}

/** A table; its cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
