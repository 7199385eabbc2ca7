/** Page of the viewer's own account: name, identities, sessions and tokens. */
import {
  MAX_NAME,
  MAX_TOKEN_DAYS,
  personPath,
  PROVIDER_LABELS,
  SCOPE_DESCRIPTIONS,
  TOKEN_DAYS,
  type AccountDetail,
  type LinkedIdentity,
  type NewToken,
  type ProviderName,
  type Scope,
  type Session,
  type Token,
} from "@kernelbot/core";
import { accountFrame } from "./frame.ts";
import { button } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";

export interface AccountPage extends AccountDetail {
  visit: SignedVisit;
  /** Sign-in providers configured on this server. */
  providers: readonly ProviderName[];
  /** Whether published data shows this account's submissions under a pseudonym. */
  anonymous: boolean;
  /** Base URL of this server, for the commands on the page. */
  server: string;
  /** Newly created token, shown only once. */
  made?: NewToken | undefined;
  /** Error message of a form that failed. */
  problem?: string | undefined;
}

export function accountPage(options: AccountPage): Promise<string> {
  const { visit, account, identities, sessions, tokens, providers, anonymous, server, made, problem } = options;
  return accountFrame({
    visit,
    title: account.name,
    problem,
    body: html`
      <p>
        <a href="${personPath(account)}">What others see of you</a>${
          account.roles.length === 0 ? null : `. Your roles: ${account.roles.join(", ")}`
        }
      </p>
      ${
        account.banReason === null
          ? null
          : html`<p class="notice bad" role="alert">
              This account is banned: ${account.banReason}. It can read, and do nothing else;
              <a href="/account/decisions">you may appeal</a>.
            </p>`
      }
      ${made === undefined ? null : madeToken(made, server)}
      <h2 id="name">Name</h2>
      <form method="post" action="/account/name" class="row">
        <label for="new-name">What others see on the boards</label>
        <input
          id="new-name"
          name="name"
          value="${account.name}"
          required
          maxlength="${MAX_NAME}"
          size="30"
          autocomplete="off"
        />
        <button class="quiet">Rename</button>
      </form>
      ${identityPart(identities, providers)} ${dataPart(anonymous)}
      <h2 id="tokens">Tokens</h2>
      <p>A token lets a program act as you. <code>kernelbot login</code> makes one for your terminal by itself.</p>
      ${tokens.length === 0 ? null : tokenTable(tokens)} ${tokenForm(account.scopes)}
      <h2 id="sessions">Sessions</h2>
      ${sessionTable(sessions)} ${button("/sign-out", "Sign out", {}, true)}
    `,
  });
}

function madeToken({ token, label }: NewToken, server: string): Html {
  return html`<section class="made" role="status" aria-label="The new token">
    <p><strong>The token ${label}</strong> is shown this once. Keep it like a password.</p>
    <pre tabindex="0"><code id="made-token">${token}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-token">Copy</button>
    <p>
      <small>For a terminal: <code>kernelbot login --token --server ${server}</code> asks for it.</small>
    </p>
  </section>`;
}

function identityPart(identities: readonly LinkedIdentity[], providers: readonly ProviderName[]): Html {
  const canUnlink = identities.length > 1;
  return html`<h2 id="identities">Ways to sign in</h2>
    ${
      identities.length === 0
        ? html`<p class="quiet">
            None is linked: this browser came in by a sign-in
            link${providers.length === 0 ? ", which an administrator makes" : ""}.
          </p>`
        : rows(
            identities.map(({ provider, subject, label, lastUsedAt }) => ({
              what: html`${PROVIDER_LABELS[provider]} <strong>${label}</strong>
                <small class="block">last used ${moment(lastUsedAt)}</small>`,
              act: canUnlink ? button("/account/unlink", "Unlink", { provider, subject }, true) : null,
            })),
          )
    }
    <div class="ways">
      ${providers.map((name) => button(`/account/link/${name}`, `Link ${PROVIDER_LABELS[name]}`, {}, true))}
    </div>`;
}

/** Renders the publication setting, stating both what a pseudonym hides and what it does not. */
function dataPart(anonymous: boolean): Html {
  return html`<h2 id="data">Published data</h2>
    <p>
      What you license is published after its competition has ended: <a href="/data">the data</a>. It
      ${anonymous ? "has your submissions under a pseudonym" : "names you"}, where a submission says nothing else.
    </p>
    <p>
      A pseudonym takes the place of your name, and other numbers and file names that of your submissions’, in all data
      that is made from then on. Code, scores and times stay as they are, so who compares them with a public board can
      still guess who you are. What is out already cannot be called back.
    </p>
    ${
      anonymous
        ? button("/account/anonymity", "Name me", { anonymous: "no" }, true)
        : button("/account/anonymity", "Use a pseudonym", { anonymous: "yes" }, true)
    }`;
}

function tokenTable(tokens: readonly Token[]): Html {
  return rows(
    tokens.map(({ id, label, scopes, targets, expiresAt, lastUsedAt }) => ({
      what: html`${label}
        <small class="block">may ${[scopes.join(", "), ...targets].join(" · ")}</small>
        <small class="block"
          >${lastUsedAt === null ? "never used" : html`last used ${moment(lastUsedAt)}`},
          ${expiresAt === null ? "does not expire" : html`expires ${moment(expiresAt)}`}</small
        >`,
      act: button(`/account/tokens/${id}/revoke`, "Revoke", {}, true),
    })),
  );
}

/** Renders the form that creates a token. Runner tokens need targets and are created with `kernelbot tokens create`. */
function tokenForm(allowed: readonly Scope[]): Html {
  const offered = allowed.filter((scope) => scope !== "runner");
  return html`<form method="post" action="/account/tokens" class="stack">
    <label for="label">What is it for?</label>
    <input id="label" name="label" required maxlength="100" placeholder="nightly benchmark" autocomplete="off" />
    <fieldset>
      <legend>It may</legend>
      ${offered.map(
        (scope) =>
          html`<label class="choice"
            ><input
              type="checkbox"
              name="scope"
              value="${scope}"
              ${["submit", "read"].includes(scope) ? html`checked` : null}
            />
            ${SCOPE_DESCRIPTIONS[scope]}</label
          >`,
      )}
    </fieldset>
    <label for="days">Days until it expires</label>
    <input id="days" name="days" type="number" min="1" max="${MAX_TOKEN_DAYS}" value="${TOKEN_DAYS}" required />
    <div><button>Make a token</button></div>
  </form>`;
}

function sessionTable(sessions: readonly Session[]): Html {
  return rows(
    sessions.map(({ id, browser, address, lastUsedAt, current }) => ({
      what: html`${browserName(browser)} <small class="block">from ${address}, last used ${moment(lastUsedAt)}</small>`,
      act: current ? html`<small>this one</small>` : button(`/account/sessions/${id}/end`, "End", {}, true),
    })),
  );
}

/** Renders a table with one item of the account per row and the button that acts on it, or null. */
function rows(rows: readonly { what: Html; act: Html | null }[]): Html {
  return html`<table class="things">
    <tbody>
      ${rows.map(
        ({ what, act }) =>
          html`<tr>
            <th scope="row">${what}</th>
            <td class="right">${act}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * Returns a readable browser name, such as `Firefox on Linux`. User agents also name the browsers that they imitate, so
 * the order of the patterns matters.
 */
function browserName(userAgent: string): string {
  const name = [/Edg/, /OPR/, /Firefox/, /Chrome/, /Safari/].find((known) => known.test(userAgent))?.source;
  const system = [/Android/, /iPhone|iPad/, /Windows/, /Mac OS/, /Linux/].find((known) => known.test(userAgent));
  if (name === undefined) return userAgent === "" ? "A browser" : userAgent;
  const called = { Edg: "Edge", OPR: "Opera" }[name] ?? name;
  return system === undefined
    ? called
    : `${called} on ${system.source.replace("iPhone|iPad", "iOS").replace("Mac OS", "macOS")}`;
}
