import { html } from "../html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./page-context.ts";

/** Renders the page for a missing resource; `what` names the resource in a sentence. */
export function notFoundPage(what: string, visit: Visit): Promise<string> {
  return page({
    title: "Not found",
    visit,
    body: html`
      <h1>Not found</h1>
      <p>${what}</p>
      <p><a href="/">All leaderboards</a></p>
    `,
  });
}

/** Renders the page for a rejected request; `why` is a sentence. */
export function refusalPage(why: string, visit: Visit): Promise<string> {
  return page({
    title: "Request rejected",
    visit,
    body: html`
      <h1>Request rejected</h1>
      <p class="notice">${why}</p>
      <p><a href="/">All leaderboards</a>${visit.viewer === null ? html` · <a href="/sign-in">Sign in</a>` : null}</p>
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
      <p>
        The server failed to handle this request. If this keeps happening, report this error ID to the organiser:
        <code>${id}</code>
      </p>
      <p><a href="/">All leaderboards</a></p>
    `,
  });
}
