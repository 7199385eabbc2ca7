import { html } from "hono/html";

/** A piece of a page. Every value put into `html` is escaped, unless it is such a piece itself. */
export type Html = ReturnType<typeof html>;
export { html };

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text as `html` writes it, for what is put together from many small pieces. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** The same by a name that the formatter leaves alone: for a part of an element, and where spaces are sent in thousands. */
export { html as piece };
