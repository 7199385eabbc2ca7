import { html } from "../html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./page-context.ts";

/** Renders the page for a missing resource; `what` names the resource in a sentence. */
export function notFoundPage(what: string, visit: Visit): Promise<string> {
  return page({
    title: "Not found",
    visit,
    body: html`
      <h1>There is nothing here</h1>
      <p>${what}</p>
      <p><a href="/">All boards</a></p>
    `,
  });
}

/** Renders the page for a rejected request; `why` is a sentence. */
export function refusalPage(why: string, visit: Visit): Promise<string> {
  return page({
    title: "Refused",
    visit,
    body: html`
      <h1>That did not work</h1>
      <p class="notice">${why}</p>
      <p><a href="/">All boards</a>${visit.viewer === null ? html` · <a href="/sign-in">Sign in</a>` : null}</p>
    `,
  });
}

/** Renders the page for an internal error; `id` identifies the error in the server's log. */
export function errorPage(id: string, visit: Visit): Promise<string> {
  return page({
    title: "Something went wrong",
    visit,
    body: html`
      <h1>Something went wrong</h1>
      <p>The fault is ours. If it stays, tell the organiser this number: <code>${id}</code></p>
      <p><a href="/">All boards</a></p>
    `,
  });
}
