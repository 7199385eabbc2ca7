/** Escaping of untrusted texts for Markdown. */
import { oneLine, sanitize } from "./text.ts";

/** Characters with a meaning in Markdown: emphasis, links, HTML, tables, formulas and addresses. */
const SIGNS = /[\\`*_[\]<>&|~$#!{}@]|:(?=\/\/)|(?<=www)\./gi;

/** Escapes a text for one line of Markdown, so that it cannot form links, images, HTML or table cells. */
export function escapeMarkdown(text: string): string {
  return oneLine(sanitize(text)).replace(SIGNS, "\\$&");
}

/**
 * Returns text as a code span, in which no name pings an account and nothing is a link, HTML or Markdown. Cut to `most`
 * characters; invisible and bidirectional control characters are removed, and backticks and vertical bars, which would
 * end the span or a table cell, are replaced.
 */
export function codeSpan(text: string, most = 100): string {
  const shown = text
    .toWellFormed()
    .replace(/\p{Cf}/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("`", "'")
    .replaceAll("|", "¦")
    .trim();
  const characters = Array.from(shown);
  const cut = characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : shown;
  return cut === "" ? "`(nothing)`" : `\`${cut}\``;
}

/** Formats a table; its cells are Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Formats a block of code; the text must not contain three backticks. */
export function markdownCode(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
