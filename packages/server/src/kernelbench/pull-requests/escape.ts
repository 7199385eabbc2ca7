/** Strangers' text in Markdown. */

/**
 * As a code span: in there no name pings anybody, and nothing is a link, HTML or Markdown. Cut after so many characters;
 * what cannot be seen or turns the direction of writing is left out, and so are the characters that would end the span
 * or, in a table, the cell.
 */
export function code(text: string, most = 100): string {
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
