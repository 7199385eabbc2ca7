import { html } from "hono/html";

/** A piece of a page. Every value put into `html` is escaped, unless it is such a piece itself. */
export type Html = ReturnType<typeof html>;
export { html };

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text as `html` writes it, for what is put together from many small pieces. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
