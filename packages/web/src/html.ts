import { html } from "hono/html";

/** A piece of a page. Every value put into `html` is escaped, unless it is such a piece itself. */
export type Html = ReturnType<typeof html>;
export { html };
