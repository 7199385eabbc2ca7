/** Escaping of untrusted texts for Markdown. */
import { sanitize, oneLine } from "@kernelbot/core";

/** Characters with a meaning in Markdown: emphasis, links, HTML, tables, formulas and addresses. */
const SIGNS = /[\\`*_[\]<>&|~$#!{}@]|:(?=\/\/)|(?<=www)\./gi;

/** Escapes a text for one line of Markdown, so that it cannot form links, images, HTML or table cells. */
export function plain(text: string): string {
  return oneLine(sanitize(text)).replace(SIGNS, "\\$&");
}

/** Formats a table; its cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
