import { html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { SignedVisit } from "../layout/page-context.ts";

/** Renders the confirmation page of an invite link. The code is not read from the database before the button is pressed. */
export function joinPage({
  code,
  refusal,
  visit,
}: {
  code: string;
  refusal?: string;
  visit: SignedVisit;
}): Promise<string> {
  return page({
    title: "Join",
    visit,
    body: html`
      <h1>Join a competition</h1>
      <p>
        You join as <strong>${visit.viewer.name}</strong>. An invite code gives your account access to a competition.
      </p>
      ${refusal === undefined ? null : html`<p class="notice bad" role="alert">${refusal}</p>`}
      <form method="post" action="/join/${code}" class="ways">
        <button>Join with this invite code</button>
      </form>
      <p>
        <small>From a terminal: <code>kernelbot join ${code}</code></small>
      </p>
    `,
  });
}
