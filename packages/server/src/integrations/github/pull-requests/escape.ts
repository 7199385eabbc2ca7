/** Escapes untrusted text for Markdown. */

/**
 * Returns text as a code span, in which no name pings an account and nothing is a link, HTML or Markdown. Cut to `most`
 * characters; invisible and bidirectional control characters are removed, and backticks and vertical bars, which would
 * end the span or a table cell, are replaced.
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
