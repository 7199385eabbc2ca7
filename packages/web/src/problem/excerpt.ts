import { plainFormula } from "../markdown/formula.ts";

const MAX_LENGTH = 160;

/** Returns the beginning of a description as plain text on one line, for lists and link previews. */
export function excerpt(description: string): string {
  const [paragraph = ""] = description.trim().split(/\n\s*\n/);
  const text = paragraph
    .slice(0, 4 * MAX_LENGTH)
    .replace(/^#+ /, "")
    .replace(/\$([^$]+)\$/g, (_, tex: string) => plainFormula(tex))
    .replace(/\\\(([^\\]*(?:\\[^)][^\\]*)*)\\\)/g, (_, tex: string) => plainFormula(tex))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`$]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (text.length <= MAX_LENGTH) return text.replace(/:$/, ".");
  return `${text.slice(0, MAX_LENGTH).replace(/\s\S*$/, "")} …`;
}
