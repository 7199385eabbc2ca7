/** Sign-in by e-mail: the form for the address, the page after a link was sent, and the page of the link. */
import { MAX_NAME } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { button, hiddenFields, problemNotice } from "../layout/forms.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";

interface EmailForm {
  action: string;
  /** Path to return to. */
  next?: string;
  /** Domains whose addresses are accepted; empty for every domain. */
  domains: readonly string[];
  /** Address as typed, if it was rejected. */
  typed?: string | undefined;
  quiet?: boolean;
}

/** Renders the form that sends a link to an e-mail address. */
export function emailForm({ action, next, domains, typed = "", quiet = false }: EmailForm): Html {
  return html`<form method="post" action="${action}" class="stack">
    ${hiddenFields({ next })}
    <label for="email">E-mail</label>
    <input
      id="email"
      name="email"
      type="email"
      required
      maxlength="254"
      value="${typed}"
      autocomplete="email"
      ${domains.length === 0 ? null : html`aria-describedby="email-domains"`}
    />
    ${domains.length === 0 ? null : html`<small id="email-domains">Accepted: addresses of ${domains.join(", ")}.</small>`}
    <div>
      <button ${quiet ? html`class="quiet"` : null}>${quiet ? "Link e-mail address" : "Send sign-in link"}</button>
    </div>
  </form>`;
}

/** Renders the page after a link was sent. It does not depend on whether the address has an account. */
export function emailSentPage({
  address,
  adds,
  visit,
}: {
  address: string;
  /** Whether the link adds the address to the viewer's account, rather than signing in. */
  adds: boolean;
  visit: Visit;
}): Promise<string> {
  return page({
    title: "Check your mail",
    visit,
    body: html`
      <h1>Check your mail</h1>
      <p>A link was sent to <strong>${address}</strong>. It works once, within 15 minutes.</p>
      <p>
        ${
          adds
            ? "Open it in a browser in which you are signed in to this account."
            : "You can open it in this or another browser, which is then signed in."
        }
        If it does not arrive within some minutes, look among unwanted mail, and check the spelling of the address.
      </p>
      <p><a href="${adds ? "/account" : "/sign-in"}">Use another address</a></p>
    `,
  });
}

interface EmailLinkPage {
  address: string;
  token: string;
  /** Name of the account to which the link adds the address; null if it signs in. */
  adds: string | null;
  /** Name of the account that the address opens; null if it has none yet. */
  opens: string | null;
  /** Name as typed, if it was rejected. */
  name: string;
  problem?: string | undefined;
  visit: Visit;
}

/** Renders what a link that was sent by e-mail does, with the form that uses the link. */
export function emailLinkPage(options: EmailLinkPage): Promise<string> {
  const { adds, opens, problem, visit } = options;
  const title = adds === null ? "Sign in" : "Link e-mail address";
  const form = adds === null ? (opens === null ? newAccount(options) : signIn(options, opens)) : link(options, adds);
  return page({ title, visit, body: html`${problemNotice(problem)} ${form}` });
}

const ACTION = "/sign-in/email/link";

function signIn({ address, token, visit: { viewer } }: EmailLinkPage, name: string): Html {
  return html`<h1>Sign in as ${name}</h1>
    <p>
      This link signs this browser in to the account <strong>${name}</strong>, which ${address} opens. It can be used
      once. ${endsSession(viewer?.name, name)}
    </p>
    ${button(ACTION, `Sign in as ${name}`, { token })}`;
}

function newAccount({ address, token, name, visit: { viewer } }: EmailLinkPage): Html {
  return html`<h1>Create an account</h1>
    <p>
      No account is linked to <strong>${address}</strong> yet. The address is used only to sign in, and other
      participants cannot see it. ${endsSession(viewer?.name)}
    </p>
    <form method="post" action="${ACTION}" class="stack">
      ${hiddenFields({ token })}
      <label for="name">Choose a name, which the leaderboards show</label>
      <input id="name" name="name" required maxlength="${MAX_NAME}" value="${name}" autocomplete="nickname" />
      <div><button>Create account</button></div>
      <small
        >If you have an account already, sign in to it as you did before, and link this address on your account
        page.</small
      >
    </form>`;
}

function link({ address, token, visit: { viewer } }: EmailLinkPage, name: string): Html {
  return html`<h1>Link ${address}</h1>
    ${
      viewer?.name === name
        ? html`<p>
              From then on, links sent to <strong>${address}</strong> sign in to your account <strong>${name}</strong>.
            </p>
            ${button(ACTION, "Link this address", { token })}`
        : html`<p>
            The account <strong>${name}</strong> asked to link this address, and this browser is not signed in to it. If
            the account is yours, open the link of the mail in the browser in which you are signed in. Otherwise ignore
            it: nothing happens without you.
          </p>`
    }`;
}

function endsSession(current: string | undefined, name?: string): Html | null {
  return current === undefined || current === name ? null : html`Your session as <strong>${current}</strong> ends.`;
}
