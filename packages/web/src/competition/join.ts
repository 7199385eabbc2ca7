/** Pages on which people join a competition. */
import { MAX_NAME, type SignInMethods } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { problemNotice } from "../layout/forms.ts";
import { page } from "../layout/layout.ts";
import type { SignedVisit, Visit } from "../layout/page-context.ts";
import { hasMethod, methodForms } from "../sign-in/page.ts";

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
      <form method="post" action="/join/${code}" class="buttons">
        <button>Join with this invite code</button>
      </form>
      <p>
        <small>From a terminal: <code>kernelbot join ${code}</code></small>
      </p>
    `,
  });
}

interface JoinByLinkPage {
  /** Last part of the address of the invite link. */
  secret: string;
  competition: { name: string; title: string };
  methods: SignInMethods;
  /** Name as typed, if it was rejected. */
  name: string;
  problem?: string | undefined;
  visit: Visit;
}

/** Renders the page of an invite link: join with the account that is signed in, or create one by choosing a name. */
export function joinByLinkPage({
  secret,
  competition,
  methods,
  name,
  problem,
  visit,
}: JoinByLinkPage): Promise<string> {
  const path = `/join/${secret}`;
  return page({
    title: `Join ${competition.title}`,
    visit,
    body: html`
      <h1>Join ${competition.title}</h1>
      ${problemNotice(problem)}
      ${
        visit.viewer === null
          ? html`${nameForm(path, name)} ${signInInstead(methods, path)}`
          : html`<p>You join as <strong>${visit.viewer.name}</strong>.</p>
              <form method="post" action="${path}" class="buttons"><button>Join</button></form>`
      }
    `,
  });
}

function nameForm(path: string, name: string): Html {
  return html`<form method="post" action="${path}" class="stack">
    <label for="name">Choose a name, which the leaderboards show</label>
    <input id="name" name="name" required maxlength="${MAX_NAME}" value="${name}" autocomplete="nickname" />
    <div><button>Create account and join</button></div>
    <small
      >Accounts have no password. This browser stays signed in until 14 days after its last use. To sign in again later,
      or elsewhere, link a sign-in method on your account page, or ask the organiser for a sign-in link.</small
    >
  </form>`;
}

function signInInstead(methods: SignInMethods, path: string): Html {
  return hasMethod(methods)
    ? html`<h2>Or sign in first</h2>
        <p>
          With the account that you have, or to create one that you can sign in to from every browser. You then return
          to this page.
        </p>
        ${methodForms(methods, path)}`
    : html`<h2>I have an account</h2>
        <p>
          Open this page in the browser in which you are signed in. If there is none, ask the organiser for a sign-in
          link.
        </p>`;
}
