/** Text layout for terminals: width, truncation, wrapping and padding. */

/**
 * Formats JSON for programs. Control and invisible characters that JSON allows are escaped, since the output may be
 * read in a terminal.
 */
export function jsonDocument(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Characters that terminals draw two columns wide: East Asian scripts and emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;
const STYLING = /\x1b\[[\d;]*m/;

/** Splits a line into styling sequences (no columns) and single characters. */
function* drawn(line: string): Generator<{ part: string; columns: number }> {
  for (const piece of line.split(new RegExp(`(${STYLING.source})`))) {
    if (STYLING.test(piece)) yield { part: piece, columns: 0 };
    else {
      for (const part of piece) yield { part, columns: /^\p{M}/u.test(part) ? 0 : WIDE.test(part) ? 2 : 1 };
    }
  }
}

/** Returns the number of columns of a line; styling takes none. */
export function columnsOf(line: string): number {
  let columns = 0;
  for (const { columns: more } of drawn(line)) columns += more;
  return columns;
}

/**
 * Truncates a line to a width, with an ellipsis when something was cut. Styling sequences are kept, so that styles end.
 */
export function fit(line: string, width: number): string {
  if (columnsOf(line) <= width) return line;
  let truncated = "";
  let columns = 0;
  let full = false;
  for (const { part, columns: more } of drawn(line)) {
    if (STYLING.test(part)) truncated += part;
    else if (!full && columns + more <= width - 1) {
      truncated += part;
      columns += more;
    } else if (!full) {
      truncated += "…";
      full = true;
    }
  }
  return truncated;
}

/** Wraps plain text to a width: at spaces, or within a word that is too long. */
export function wrap(text: string, width: number): string[] {
  if (columnsOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )(?! )/)) {
    if (columnsOf(line + word.trimEnd()) > width && line.trim() !== "") {
      lines.push(line.trimEnd());
      line = "";
    }
    for (const character of word) {
      if (columnsOf(line + character) > width && character !== " ") {
        lines.push(line.trimEnd());
        line = "";
      }
      line += character;
    }
  }
  return [...lines, line.trimEnd()];
}

/** Pads the text with spaces to a width. */
export function pad(text: string, width: number, side: "left" | "right" = "left"): string {
  const fill = " ".repeat(Math.max(0, width - columnsOf(text)));
  return side === "left" ? text + fill : fill + text;
}

/** Joins names for a sentence: `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
