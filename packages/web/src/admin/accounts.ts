/** Admin page that lists accounts, and creates an account with a sign-in link. */
import { ROLES, type AccountSummary, type Role, type SignInLink } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { table } from "../layout/table.ts";
import { option } from "../layout/forms.ts";

export interface AccountsQuery {
  search?: string | undefined;
  only?: Role | "banned" | undefined;
}

interface AccountsPage {
  visit: SignedVisit;
  accounts: readonly AccountSummary[];
  query: AccountsQuery;
  /** Whether more accounts follow. */
  more: boolean;
  /** Newly created sign-in link, shown only once. */
  made?: SignInLink | undefined;
  /** Name as typed, if the account could not be created. */
  typed?: string | undefined;
  outcome?: Outcome;
}

export function accountsPage(shown: AccountsPage): Promise<string> {
  const { visit, made, outcome } = shown;
  return adminPage({
    visit,
    title: "Accounts",
    ...(outcome && { outcome }),
    body: html`
      ${made === undefined ? null : newLinkNotice(made)} ${filters(shown.query)} ${accountTable(shown)}
      ${newAccount(shown.typed)}
    `,
  });
}

function filters({ search = "", only }: AccountsQuery): Html {
  return html`<form method="get" action="/admin/accounts" class="filters" role="search">
    <label>Name <input type="search" name="search" value="${search}" maxlength="200" /></label>
    <label
      >Role
      <select name="only">
        <option value="">All</option>
        ${[...ROLES, "banned"].map((each) => option(each, only))}
      </select>
    </label>
    <button class="quiet">Search</button>
  </form>`;
}

function accountTable({ accounts, query, more }: AccountsPage): Html {
  if (accounts.length === 0) {
    return html`<p class="empty">No accounts match. <a href="/admin/accounts">Show all</a></p>`;
  }
  const last = accounts.at(-1)?.name ?? "";
  return html`${table({
    className: "stacked-rows",
    columns: ["Account", "Roles", "Sign-in methods", "Created"],
    rows: accounts.map(
      ({ id, name, roles, banReason, providers, createdAt }) =>
        html`<tr>
          <th scope="row">
            <a href="/admin/accounts/${encodeURIComponent(id)}">${name}</a>
            ${banReason === null ? null : html`<span class="badge bad">banned</span>`}
          </th>
          <td>${roles.join(", ")}</td>
          <td>${providers.join(", ")}</td>
          <td>${moment(createdAt)}</td>
        </tr>`,
    ),
  })}
  ${more ? html`<p><a href="${nextPage(query, last)}" rel="next">Next page, after ${last}</a></p>` : null}`;
}

function nextPage({ search, only }: AccountsQuery, after: string): string {
  return `/admin/accounts?${new URLSearchParams({ ...(search && { search }), ...(only && { only }), after }).toString()}`;
}

function newAccount(typed = ""): Html {
  return html`<h2 id="new">New account</h2>
    <form method="post" action="/admin/accounts" class="stack">
      <p>For participants who cannot use a sign-in provider. They sign in with a link, which is shown only once.</p>
      <label for="name">Name</label>
      <input id="name" name="name" required maxlength="40" value="${typed}" autocomplete="off" />
      <label for="hours">Link valid for (hours)</label>
      <input id="hours" name="hours" type="number" min="1" max="168" value="24" required />
      <div><button>Create account and sign-in link</button></div>
    </form>`;
}

/** Renders a new sign-in link. The link works once and signs its holder in as the account. */
export function newLinkNotice({ url, account, expiresAt }: SignInLink): Html {
  return html`<section class="created" role="status" aria-label="Sign-in link">
    <p>
      <strong>This link signs in to ${account.name}</strong>. It can be used once, until ${moment(expiresAt)}, and is
      shown only now. Give it only to the owner of the account.
    </p>
    <pre><code id="made-link">${url}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-link">Copy</button>
  </section>`;
}
