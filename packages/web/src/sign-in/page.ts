/** Sign-in page, and the page of a sign-in link. */
import type { SignInMethods } from "@kernelbot/core";
import { button, problemNotice } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { emailForm } from "./email.ts";

interface SignInPage {
  methods: SignInMethods;
  /** Path to return to. */
  next: string;
  /** E-mail address as typed, if it was rejected. */
  email?: string | undefined;
  problem?: string | undefined;
  visit: Visit;
}

/** Renders the sign-in methods configured on this server. */
export function signInPage({ methods, next, email, problem, visit }: SignInPage): Promise<string> {
  return page({
    title: "Sign in",
    visit,
    body: html`
      <h1>Sign in</h1>
      ${problemNotice(problem)}
      ${
        visit.viewer === null
          ? null
          : html`<p>
              You are signed in as <a href="/account"><strong>${visit.viewer.name}</strong></a
              >.
            </p>`
      }
      ${
        hasMethod(methods)
          ? html`<p>
                Your account is created when you first sign in. You can link other sign-in methods later on your account
                page.
              </p>
              ${methodForms(methods, next, email)}`
          : noMethods()
      }
    `,
  });
}

export function hasMethod({ providers, email }: SignInMethods): boolean {
  return providers.length > 0 || email !== null;
}

/** Renders the button of each provider, and the form for an e-mail address. */
export function methodForms({ providers, email }: SignInMethods, next: string, typed?: string): Html {
  return html`${
    providers.length === 0
      ? null
      : html`<div class="buttons">
            ${providers.map(({ name, label }) => button(`/sign-in/${name}`, `Sign in with ${label}`, { next }))}
          </div>
          <p>
            <small
              >Only your user ID and name are taken from there: no e-mail address, and no access to your account.</small
            >
          </p>`
  }
  ${email === null ? null : emailForm({ ...email, action: "/sign-in/email", next, typed })}`;
}

function noMethods(): Html {
  return html`<p>
      Accounts on this server are opened by links. If you have an <strong>invite link</strong> or a
      <strong>sign-in link</strong>, open it in this browser.
    </p>
    <p>
      If you have none, or yours has expired, ask the organiser of your competition or the people who run this server
      for a new one.
    </p>`;
}

/** Renders the page from which the browser continues to a sign-in provider, by a `Refresh` header or the link. */
export function continuePage({ label, url, visit }: { label: string; url: string; visit: Visit }): Promise<string> {
  return page({
    title: `Sign in with ${label}`,
    visit,
    body: html`
      <h1>Sign in with ${label}</h1>
      <p><a href="${url}" rel="noreferrer">Continue to ${label}</a></p>
    `,
  });
}

/** Renders which account a sign-in link opens, with the button that uses the link. */
export function signInLinkPage({ name, token, visit }: { name: string; token: string; visit: Visit }): Promise<string> {
  return page({
    title: "Sign in",
    visit,
    body: html`
      <h1>Sign in as ${name}</h1>
      <p>
        This link signs this browser in to the account <strong>${name}</strong>. It can be used once.
        ${visit.viewer === null || visit.viewer.name === name ? null : html`Your session as <strong>${visit.viewer.name}</strong> ends.`}
      </p>
      <p>If this is not your account, close this page: your submissions would be attributed to it.</p>
      ${button("/sign-in/link", `Sign in as ${name}`, { token })}
    `,
  });
}
