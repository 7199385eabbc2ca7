/**
 * Escapes untrusted text for Discord's Markdown. Messages are sent with all mentions disabled; escaping prevents text
 * from looking like a mention, a link or the bot's own words.
 */
import { sanitize } from "@kernelbot/core";

/** Zero-width space, which breaks up sequences that Discord would interpret. */
const NOTHING = "\u200b";

/** Returns text on one line, without invisible characters, cut to `most` characters. */
function toSingleLine(text: string, most: number): string {
  const line = sanitize(text.toWellFormed())
    .replace(/[\p{Cf}\p{Co}]/gu, "")
    .replace(/[\p{Cc}\p{Z}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
}

/** Returns plain text, in which nothing is markup, a mention, a link or an emoji. */
export function plain(text: string, most = 300): string {
  return toSingleLine(text, most)
    .replace(/[\\`*_~|<>#[\]()+\-]/g, "\\$&")
    .replace(/@|:(?=\/)|\.(?=(?:gg|com)\/)/gi, `$&${NOTHING}`);
}

/** Formats a time in the reader's time zone. */
export function formatTimestamp(iso: string): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:f>`;
}

/** ISO 8601 time after escaping by `plain`. */
const MOMENT = /\d{4}\\-[01]\d\\-[0-3]\dT[012]\d:[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z/g;

/** Formats an error message, which may quote untrusted text. Fits into one message with all its escapes. */
export function warning(sentence: string): string {
  const shown = plain(sentence, 900).replace(MOMENT, (moment) => {
    const iso = moment.replaceAll("\\", "");
    return Number.isNaN(Date.parse(iso)) ? moment : formatTimestamp(iso);
  });
  return `⚠️ ${shown}`;
}

/** Returns text as an inline code span. */
export function code(text: string, most = 100): string {
  const inner = toSingleLine(text, most).replaceAll("`", "'");
  return `\`${inner === "" ? " " : inner}\``;
}

/** Returns text as a code block that the text cannot end. Keeps line breaks. */
export function fenced(text: string): string {
  const inner = sanitize(text.toWellFormed()).replace(/`(?=`)/g, `\`${NOTHING}`);
  return `\`\`\`\n${inner.replace(/`$/, `\`${NOTHING}`)}\n\`\`\``;
}

/** Returns a table cell for a code block, padded or cut to `width` characters. */
export function cell(text: string, width: number): string {
  const characters = Array.from(toSingleLine(text, width).replaceAll("`", "'"));
  return characters.join("") + " ".repeat(width - characters.length);
}

/** Returns text for the name of a thread or file. */
export function title(text: string, most = 100): string {
  return toSingleLine(text, most);
}
