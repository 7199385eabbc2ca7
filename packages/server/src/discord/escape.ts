/**
 * Strangers' text in Discord's Markdown. Messages are sent with no mention allowed besides; this keeps text from looking
 * like a mention, a link or words of ours.
 */
import { cleaned } from "@kernelbot/core";

/** Splits what Discord would read as one, and shows nothing. */
const NOTHING = "\u200b";

/** On one line, without what cannot be seen, and cut after so many characters. */
function shown(text: string, most: number): string {
  const line = cleaned(text.toWellFormed())
    .replace(/[\p{Cf}\p{Co}]/gu, "")
    .replace(/[\p{Cc}\p{Z}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
}

/** As plain text: no mark-up, mention, link or emoji. */
export function plain(text: string, most = 300): string {
  return shown(text, most)
    .replace(/[\\`*_~|<>#[\]()+\-]/g, "\\$&")
    .replace(/@|:(?=\/)|\.(?=(?:gg|com)\/)/gi, `$&${NOTHING}`);
}

/** A moment, in the time zone of who reads. */
export function when(iso: string): string {
  return `<t:${Math.floor(Date.parse(iso) / 1000)}:f>`;
}

/** A moment in ISO 8601, as `plain` leaves it. */
const MOMENT = /\d{4}\\-[01]\d\\-[0-3]\dT[012]\d:[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z/g;

/** A sentence of ours that refuses, which may quote strangers; it fits into a message with all its escapes. */
export function warning(sentence: string): string {
  const shown = plain(sentence, 900).replace(MOMENT, (moment) => {
    const iso = moment.replaceAll("\\", "");
    return Number.isNaN(Date.parse(iso)) ? moment : when(iso);
  });
  return `⚠️ ${shown}`;
}

/** As code on a line. */
export function code(text: string, most = 100): string {
  const inner = shown(text, most).replaceAll("`", "'");
  return `\`${inner === "" ? " " : inner}\``;
}

/** As a block of code, which nothing in the text can end. Lines stay. */
export function fenced(text: string): string {
  const inner = cleaned(text.toWellFormed()).replace(/`(?=`)/g, `\`${NOTHING}`);
  return `\`\`\`\n${inner.replace(/`$/, `\`${NOTHING}`)}\n\`\`\``;
}

/** A cell of a table in a block of code: as wide as given, cut where it is longer. */
export function cell(text: string, width: number): string {
  const characters = Array.from(shown(text, width).replaceAll("`", "'"));
  return characters.join("") + " ".repeat(width - characters.length);
}

/** The name of a thread or of a file. */
export function title(text: string, most = 100): string {
  return shown(text, most);
}
