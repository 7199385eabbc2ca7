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
  type SignInMethods,
  type Token,
} from "@kernelbot/core";
import { accountFrame } from "./frame.ts";
import { button, checkbox } from "../layout/forms.ts";
import { emailForm } from "../sign-in/email.ts";
import { hasMethod } from "../sign-in/page.ts";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";

export interface AccountPage extends AccountDetail {
  visit: SignedVisit;
  methods: SignInMethods;
  /** E-mail address as typed, if it was rejected. */
  email?: string | undefined;
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
  const { visit, account, identities, sessions, tokens, methods, email, anonymous, server, made, problem } = options;
  return accountFrame({
    visit,
    title: account.name,
    problem,
    body: html`
      <p>
        <a href="${personPath(account)}">Public profile</a>${
          account.roles.length === 0 ? null : `. Your roles: ${account.roles.join(", ")}`
        }
      </p>
      ${
        account.banReason === null
          ? null
          : html`<p class="notice bad" role="alert">
              This account is banned: ${account.banReason}. It can only read.
              <a href="/account/decisions">You can appeal</a>.
            </p>`
      }
      ${made === undefined ? null : madeToken(made, server)}
      <h2 id="name">Name</h2>
      <form method="post" action="/account/name" class="row">
        <label for="new-name">Name shown on the leaderboards</label>
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
      ${identitySection(identities, methods, email)} ${publicationSection(anonymous)}
      <h2 id="tokens">Tokens</h2>
      <p>A token lets a program act as you. <code>kernelbot login</code> creates one for your terminal.</p>
      ${tokens.length === 0 ? null : tokenTable(tokens)} ${tokenForm(account.scopes)}
      <h2 id="sessions">Sessions</h2>
      ${sessionTable(sessions)} ${button("/sign-out", "Sign out", {}, true)}
      <h2 id="your-data">Your data</h2>
      <p>
        <a href="/account/export">Download everything that this server stores about you</a>, as a ZIP file, or
        <a href="/account/erase">erase your account</a>.
      </p>
    `,
  });
}

function madeToken({ token, label }: NewToken, server: string): Html {
  return html`<section class="created" role="status" aria-label="New token">
    <p><strong>The token ${label}</strong> is shown only once. Keep it secret, like a password.</p>
    <pre tabindex="0"><code id="made-token">${token}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-token">Copy</button>
    <p>
      <small>For a terminal: run <code>kernelbot login --token --server ${server}</code> and enter the token.</small>
    </p>
  </section>`;
}

/** Groups shown before the rest is counted. */
const SHOWN_GROUPS = 20;

function groupList(groups: readonly string[]): Html {
  const rest = groups.length - SHOWN_GROUPS;
  const names = groups.slice(0, SHOWN_GROUPS).join(", ");
  return html`<small class="block">groups: ${names}${rest > 0 ? ` and ${rest} more` : null}</small>`;
}

function identitySection(identities: readonly LinkedIdentity[], methods: SignInMethods, email?: string): Html {
  const canUnlink = identities.length > 1;
  const labelOf = (provider: ProviderName): string =>
    methods.providers.find(({ name }) => name === provider)?.label ?? PROVIDER_LABELS[provider];
  return html`<h2 id="identities">Sign-in methods</h2>
    ${
      identities.length === 0
        ? html`<p class="quiet">
            None linked: only this browser is signed in.
            ${
              hasMethod(methods)
                ? "Link one, so that you can sign in again later and in other browsers."
                : "To sign in again later or in another browser, ask the organiser of your competition for a sign-in link."
            }
          </p>`
        : rows(
            identities.map(({ provider, subject, label, groups, lastUsedAt }) => ({
              what: html`${labelOf(provider)} <strong>${label}</strong>
                <small class="block">last used ${moment(lastUsedAt)}</small
                >${groups.length === 0 ? null : groupList(groups)}`,
              act: canUnlink ? button("/account/unlink", "Unlink", { provider, subject }, true) : null,
            })),
          )
    }
    <div class="buttons">
      ${methods.providers.map(({ name, label }) => button(`/account/link/${name}`, `Link ${label}`, {}, true))}
    </div>
    ${
      methods.email === null
        ? null
        : emailForm({ ...methods.email, action: "/account/link/email", typed: email, quiet: true })
    }`;
}

/** Renders the publication setting, stating both what a pseudonym hides and what it does not. */
function publicationSection(anonymous: boolean): Html {
  return html`<h2 id="data">Published data</h2>
    <p>
      Submissions that you license for publication become part of the <a href="/data">published data</a> after the
      competition has ended, ${anonymous ? "under a pseudonym" : "under your name"} unless the submission specifies
      otherwise.
    </p>
    <p>
      With a pseudonym, your name, submission numbers and file names are replaced in all data published from then on.
      Code, scores and runtimes are not changed, so a comparison with a public leaderboard may still identify you. Data
      that is already published cannot be withdrawn.
    </p>
    ${
      anonymous
        ? button("/account/anonymity", "Publish my name", { anonymous: "no" }, true)
        : button("/account/anonymity", "Use a pseudonym", { anonymous: "yes" }, true)
    }`;
}

function tokenTable(tokens: readonly Token[]): Html {
  return rows(
    tokens.map(({ id, label, scopes, targets, expiresAt, lastUsedAt }) => ({
      what: html`${label}
        <small class="block">scopes: ${[scopes.join(", "), ...targets].join(" · ")}</small>
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
    <label for="label">Label</label>
    <input id="label" name="label" required maxlength="100" placeholder="nightly benchmark" autocomplete="off" />
    <fieldset>
      <legend>Scopes</legend>
      ${offered.map((scope) => checkbox("scope", scope, ["submit", "read"].includes(scope), SCOPE_DESCRIPTIONS[scope]))}
    </fieldset>
    <label for="days">Days until it expires</label>
    <input id="days" name="days" type="number" min="1" max="${MAX_TOKEN_DAYS}" value="${TOKEN_DAYS}" required />
    <div><button>Create token</button></div>
  </form>`;
}

function sessionTable(sessions: readonly Session[]): Html {
  return rows(
    sessions.map(({ id, browser, address, lastUsedAt, current }) => ({
      what: html`${browserName(browser)} <small class="block">from ${address}, last used ${moment(lastUsedAt)}</small>`,
      act: current
        ? html`<small>current session</small>`
        : button(`/account/sessions/${id}/end`, "End session", {}, true),
    })),
  );
}

/** Renders a table with one item of the account per row and the button that acts on it, or null. */
function rows(rows: readonly { what: Html; act: Html | null }[]): Html {
  return html`<table class="list-table">
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
