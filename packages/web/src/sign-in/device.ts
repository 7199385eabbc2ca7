/** Pages on which a user allows a program to act for their account (RFC 8628). */
import { SCOPE_DESCRIPTIONS, type Scope } from "@kernelbot/core";
import { hiddenFields } from "../layout/forms.ts";
import { html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";

/** Renders the form for the user code. */
export function devicePage({
  visit,
  problem = null,
}: {
  visit: SignedVisit;
  problem?: string | null;
}): Promise<string> {
  return page({
    title: "Sign in a terminal",
    visit,
    body: html`
      <h1>Sign in a terminal</h1>
      <p>Enter the code that <code>kernelbot login</code> shows in your terminal.</p>
      ${problem === null ? null : html`<p class="notice" role="alert">${problem}</p>`}
      <form method="post" action="/device" class="stack">
        <label for="code">Code</label>
        <input
          id="code"
          name="code"
          class="code"
          required
          maxlength="20"
          size="11"
          placeholder="XXXX-XXXX"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          autofocus
        />
        <div><button>Continue</button></div>
      </form>
    `,
  });
}

/** Renders the requesting program's scopes and address, and asks whether to allow it. */
export function deviceConfirmPage(options: {
  visit: SignedVisit;
  code: string;
  scopes: readonly Scope[];
  address: string;
  askedAt: string;
}): Promise<string> {
  const { visit, code, scopes, address, askedAt } = options;
  return page({
    title: "Sign in a terminal",
    visit,
    body: html`
      <h1>Allow this terminal to act as ${visit.viewer.name}?</h1>
      <p>A program that shows the code <code class="nowrap">${code}</code> requests permission to</p>
      <ul>
        ${scopes.map((scope) => html`<li>${SCOPE_DESCRIPTIONS[scope]} <small>(${scope})</small></li>`)}
      </ul>
      <p>Requested from address <strong>${address}</strong>, ${moment(askedAt)}.</p>
      <p class="notice">
        Allow it only if you just ran <code>kernelbot login</code> yourself. If someone else sent you this code, they
        are trying to take over your account.
      </p>
      <form method="post" action="/device/decide" class="row">
        ${hiddenFields({ code })}
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="deny" class="quiet">Deny</button>
      </form>
    `,
  });
}

/** Renders the result of the decision. */
export function deviceDonePage({ visit, allowed }: { visit: SignedVisit; allowed: boolean }): Promise<string> {
  return page({
    title: "Sign in a terminal",
    visit,
    body: allowed
      ? html`<h1>The terminal is signed in</h1>
          <p>It continues automatically. You can revoke its token in <a href="/account#tokens">your account</a>.</p>`
      : html`<h1>Denied</h1>
          <p>The program did not get access.</p>`,
  });
}
