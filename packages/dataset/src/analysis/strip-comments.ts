/** Sources without comments, docstrings and repeated spaces. */
import { languageOf } from "@kernelbot/core";

/** Maximum number of characters that are read; longer than any real kernel. */
export const READ_CHARACTERS = 1 << 20;

// Unclosed strings and comments end with their line or the source, so matching takes linear time.
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

/** Returns the code of a file in the language of its file name; Python when the name indicates none. */
export function plainCode(source: string, fileName: string): string {
  const text = source.slice(0, READ_CHARACTERS);
  return (languageOf(fileName) ?? "py") === "py" ? plainPython(text) : plainC(text);
}

/**
 * Removes comments and docstrings, which are strings that are a statement of their own. Other strings are kept, since
 * they may contain kernels, but without C comments.
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
