import { html } from "./html.ts";
import { page } from "./layout.ts";

/** The page for an address where nothing is; `what` says what was looked for. */
export function notFoundPage(what: string): Promise<string> {
  return page({
    title: "Not found",
    body: html`
      <h1>There is nothing here</h1>
      <p>${what}</p>
      <p><a href="/">All boards</a></p>
    `,
  });
}

/** The page for what went wrong on our side; `id` finds it in the server's log. */
export function errorPage(id: string): Promise<string> {
  return page({
    title: "Something went wrong",
    body: html`
      <h1>Something went wrong</h1>
      <p>The fault is ours. If it stays, tell the organiser this number: <code>${id}</code></p>
      <p><a href="/">All boards</a></p>
    `,
  });
}
