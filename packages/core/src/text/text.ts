/**
 * Sanitizes untrusted text. Text from a kernel or its author may contain escape sequences that move the cursor, set
 * titles or hide lines, so every such value passes through `cleaned` once, before anything renders it.
 */

/** CSI sequences, strings such as OSC with their terminator, and two-character escapes. */
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;

/**
 * Control characters except tab and newline, and invisible characters that reorder, join or break text. Includes the
 * Unicode tags (U+E0000), in which text can be hidden from people but not from programs such as language models.
 */
const CONTROLS =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Returns a copy of a value in which all strings, keys included, are stripped of terminal escapes and control
 * characters; newlines and tabs are kept.
 */
export function sanitize<T>(value: T): T {
  return cleanedValue(value) as T;
}

function cleanedValue(value: unknown): unknown {
  if (typeof value === "string") return cleanedText(value);
  if (Array.isArray(value)) return value.map(cleanedValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanedText(key), cleanedValue(inner)]));
}

function cleanedText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(ESCAPES, "").replace(CONTROLS, "");
}

/** Collapses whitespace to single spaces, so that a newline in untrusted text cannot forge a line of output. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Formats a count with its noun: `1 case`, `1,024 cases`. */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}
