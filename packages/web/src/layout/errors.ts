import type { ErrorCode } from "@kernelbot/core";
import { html } from "../html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./page-context.ts";

/** Headings by error code; all others are `Request rejected`. */
const HEADINGS: Partial<Record<ErrorCode, string>> = {
  not_found: "Not found",
  too_many_requests: "Too many requests",
  internal: "Something went wrong",
  unavailable: "Temporarily unavailable",
};

interface ErrorPage {
  code: ErrorCode;
  /** A sentence that says what was wrong and what to do. */
  message: string;
  visit: Visit;
}

/** Renders the page for a request that failed. */
export function errorPage({ code, message, visit }: ErrorPage): Promise<string> {
  const title = HEADINGS[code] ?? "Request rejected";
  // A server that fails does not know who is signed in.
  const maySignIn = visit.viewer === null && code !== "unavailable" && code !== "internal";
  return page({
    title,
    visit,
    body: html`
      <h1>${title}</h1>
      <p class="notice">${message}</p>
      <p><a href="/">All leaderboards</a>${maySignIn ? html` · <a href="/sign-in">Sign in</a>` : null}</p>
    `,
  });
}
