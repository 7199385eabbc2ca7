import { plainFormula } from "../markdown/formula.ts";

const LONGEST = 160;

/** Returns the beginning of a description as plain text on one line, for lists and link previews. */
export function gist(description: string): string {
  const [paragraph = ""] = description.trim().split(/\n\s*\n/);
  const words = paragraph
    .slice(0, 4 * LONGEST)
    .replace(/^#+ /, "")
    .replace(/\$([^$]+)\$/g, (_, tex: string) => plainFormula(tex))
    .replace(/\\\(([^\\]*(?:\\[^)][^\\]*)*)\\\)/g, (_, tex: string) => plainFormula(tex))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`$]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (words.length <= LONGEST) return words.replace(/:$/, ".");
  return `${words.slice(0, LONGEST).replace(/\s\S*$/, "")} …`;
}
