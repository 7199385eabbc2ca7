/** Sources without what does nothing: comments, docstrings, and more than one space in a row. */
import { languageOf } from "@kernelbot/core";

/** Of a longer source the rest is left out; no kernel is as long. */
export const READ_CHARACTERS = 1 << 20;

// What is never closed ends with its line or with the source, so that no character is looked at twice.
const TRIPLE = `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`;
const PREFIX = "[rRbBuUfF]{0,2}";
const SINGLE = String.raw`"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?`;
const PYTHON = new RegExp(
  String.raw`(?<comment>#[^\n]*)|(?<string>${PREFIX}(?:${TRIPLE}|${SINGLE}))|(?<open>[([{])|(?<close>[)\]}])|(?<line>\n)|(?<space>[^\S\n]+)|(?<word>[\p{L}\p{N}_]+)|(?<sign>[^])`,
  "gu",
);
const C = new RegExp(
  String.raw`(?<comment>//[^\n]*|/\*[^]*?(?:\*/|$))|(?<string>${SINGLE})|(?<space>\s+)|(?<other>[^\s"'/]+|[^])`,
  "gu",
);

/** The code of a file whose name tells its language; Python where it tells none. */
export function plainCode(source: string, fileName: string): string {
  const text = source.slice(0, READ_CHARACTERS);
  return (languageOf(fileName) ?? "py") === "py" ? plainPython(text) : plainC(text);
}

/**
 * Strings stay, since kernels are written into them, but their C comments go. A string that is a statement of its own is
 * a docstring.
 */
function plainPython(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let statementBegins = true;
  for (const { groups = {} } of text.matchAll(PYTHON)) {
    const { comment, string, open, close, line, space, word, sign } = groups;
    if (comment !== undefined) continue;
    if (space !== undefined) {
      parts.push(" ");
      continue;
    }
    if (line !== undefined) {
      parts.push("\n");
      statementBegins ||= depth === 0;
      continue;
    }
    if (string === undefined) parts.push(open ?? close ?? word ?? sign ?? "");
    else if (!statementBegins) parts.push(plainC(string.replace(/^[a-zA-Z]{0,2}(?:"""|''')|(?:"""|''')$/g, "\n")));
    if (open !== undefined) depth += 1;
    if (close !== undefined) depth = Math.max(0, depth - 1);
    statementBegins = false;
  }
  return parts.join("");
}

function plainC(text: string): string {
  const parts: string[] = [];
  for (const { groups = {} } of text.matchAll(C)) {
    const { comment, space, string, other } = groups;
    parts.push(comment !== undefined || space !== undefined ? " " : (string ?? other ?? ""));
  }
  return parts.join("");
}
