import { html } from "hono/html";

/** Fragment of a page. `html` escapes every interpolated value that is not a fragment itself. */
export type Html = ReturnType<typeof html>;
export { html };

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text as `html` does, for markup that is assembled from many small strings. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Exports `html` under a name that the formatter ignores, for parts of an element and where whitespace would be sent
 * thousands of times.
 */
export { html as piece };
