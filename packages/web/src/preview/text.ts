/** Breaks text into lines that the glyphs can draw. */
import type { GlyphStyle } from "./glyphs.ts";

/** What is left out where the font lacks it: control and formatting characters, such as those that reverse the direction, marks, and pictographs. */
const INVISIBLE = /[\p{C}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;

/** Returns the text on one line, with an ellipsis for each sequence of other characters that the font does not have. */
export function drawable(text: string, { glyphs }: GlyphStyle): string {
  const drawn = Array.from(text.normalize("NFC").replaceAll(/\s+/g, " "), (character) => {
    if (Object.hasOwn(glyphs, character)) return character;
    return INVISIBLE.test(character) ? "" : "\0";
  }).join("");
  return drawn
    .replaceAll(/\0(?:[\0 ]*\0)?/g, "…")
    .replaceAll(/ +/g, " ")
    .trim();
}

/** Breaks a drawable text into lines at most so wide, in pixels. What does not fit in the lines is cut, with an ellipsis. */
export function linesOf(text: string, style: GlyphStyle, width: number, most: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== "" && lines.length < most) {
    const isLast = lines.length === most - 1;
    const fitting = fit(rest, style, width);
    if (fitting.length === rest.length) return [...lines, rest];
    if (isLast) return [...lines, `${fit(rest, style, width - widthOf("…", style)).trimEnd()}…`];
    // After the last space or hyphen, else within the word.
    const [line] = rest[fitting.length] === " " ? [fitting] : (/^.*[ -]/.exec(fitting) ?? [fitting]);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

export function widthOf(text: string, { glyphs }: GlyphStyle): number {
  return Array.from(text, (character) => glyphs[character]?.[0] ?? 0).reduce((sum, advance) => sum + advance, 0);
}

/** Returns the longest beginning of a text that is at most so wide. */
function fit(text: string, { glyphs }: GlyphStyle, width: number): string {
  let end = 0;
  let used = 0;
  for (const character of text) {
    used += glyphs[character]?.[0] ?? 0;
    if (used > width) break;
    end += character.length;
  }
  return text.slice(0, end);
}
