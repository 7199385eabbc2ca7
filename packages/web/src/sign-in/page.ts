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
      ${providers.length === 0 ? noProviders() : ways(providers, next)}
    `,
  });
}

function ways(providers: readonly ProviderName[], next: string): Html {
  return html`<p>
      The first time makes your account. The other ways can be linked with it afterwards, on your account’s page.
    </p>
    <div class="ways">
      ${providers.map((name) => button(`/sign-in/${name}`, `Sign in with ${PROVIDER_LABELS[name]}`, { next }))}
    </div>
    <p>
      <small
        >We ask who you are, and for nothing else: your number and your name there. No mail address, no access.</small
      >
    </p>`;
}

function noProviders(): Html {
  return html`<p>
      This server has no way to sign in by itself. Its administrator makes a sign-in link for you, which opens your
      account in this browser:
    </p>
    <pre tabindex="0"><code>kernelbot admin sign-in-link NAME</code></pre>
    <p>
      <small>With a token you need not sign in: <code>kernelbot login --token</code> stores it for the terminal.</small>
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
        This link opens the account <strong>${name}</strong> in this browser, once.
        ${visit.viewer === null || visit.viewer.name === name ? null : html`It ends your session as <strong>${visit.viewer.name}</strong>.`}
      </p>
      <p>If this is not your account, close the page: what you hand in would count as theirs.</p>
      ${button("/sign-in/link", `Sign in as ${name}`, { token })}
    `,
  });
}
