import { html, type Html } from "../html.ts";

/** Length of an excerpt in characters, and the part of it before the first word found. */
const LENGTH = 220;
const BEFORE = 60;

/**
 * Returns the part of a text around the first of the given words, with all of them marked. A word matches where one in
 * the text begins with it, whatever its case.
 *
 * @example excerpt("Runners claim runs.", ["run"]) // <mark>Runners</mark> claim <mark>runs</mark>.
 */
export function excerpt(text: string, words: readonly string[]): Html {
  const isFound = (word: string): boolean => words.some((each) => word.toLowerCase().startsWith(each));
  const first = Array.from(text.matchAll(/[\p{L}\p{N}]+/gu)).find(([word]) => isFound(word))?.index ?? 0;
  const from = first <= BEFORE ? 0 : text.indexOf(" ", first - BEFORE) + 1;
  const to = from + LENGTH >= text.length ? text.length : Math.max(text.lastIndexOf(" ", from + LENGTH), first + 1);
  // Words are at the odd indices.
  const parts = text.slice(from, to).split(/([\p{L}\p{N}]+)/u);
  return html`${from > 0 ? "… " : ""}${parts.map((part, at) =>
    at % 2 === 1 && isFound(part) ? html`<mark>${part}</mark>` : part,
  )}${to < text.length ? " …" : ""}`;
}
