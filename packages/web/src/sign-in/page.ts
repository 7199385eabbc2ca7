/** Sign-in page, and the page of a sign-in link. */
import { PROVIDER_LABELS, type ProviderName } from "@kernelbot/core";
import { button } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";

/** Renders the sign-in providers configured on this server. `next` is the path to return to. */
export function signInPage(options: {
  providers: readonly ProviderName[];
  next: string;
  visit: Visit;
}): Promise<string> {
  const { providers, next, visit } = options;
  return page({
    title: "Sign in",
    visit,
    body: html`
      <h1>Sign in</h1>
      ${
        visit.viewer === null
          ? null
          : html`<p>
              You are signed in as <a href="/account"><strong>${visit.viewer.name}</strong></a
              >.
            </p>`
      }
      ${
        providers.length === 0
          ? noProviders()
          : html`<p>
                Your account is created when you first sign in. You can link other sign-in methods later on your account
                page.
              </p>
              ${providerButtons(providers, next)}
              <p>
                <small
                  >Only your user ID and name are requested: no email address, and no access to your account
                  there.</small
                >
              </p>`
      }
    `,
  });
}

/** Renders the button of each provider. */
export function providerButtons(providers: readonly ProviderName[], next: string): Html {
  return html`<div class="ways">
    ${providers.map((name) => button(`/sign-in/${name}`, `Sign in with ${PROVIDER_LABELS[name]}`, { next }))}
  </div>`;
}

function noProviders(): Html {
  return html`<p>
      Accounts on this server are opened by links. If you have an <strong>invite link</strong> or a
      <strong>sign-in link</strong>, open it in this browser.
    </p>
    <p>
      If you have none, or yours has expired, ask the organiser of your competition or the people who run this server
      for a new one.
    </p>`;
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
