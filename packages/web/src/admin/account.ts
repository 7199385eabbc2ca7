/** Admin page of one account: roles, ban, sign-in link and history. */
import { ROLES, type AccountHistory, type AccountSummary, type Role, type SignInLink } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { decisionList } from "../moderation/decision-list.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { madeLink } from "./accounts.ts";
import { adminPage, type Outcome } from "./frame.ts";

export interface AdminAccountPage {
  visit: SignedVisit;
  account: AccountSummary;
  history: AccountHistory;
  made?: SignInLink | undefined;
  /** Reason as typed, if the ban failed. */
  reason?: string | undefined;
  outcome?: Outcome;
}

const MEANING: Readonly<Record<Role, string>> = {
  organiser: "makes competitions and invites people",
  moderator: "decides about runs, submissions and accounts, and sees everything",
  administrator: "has the other roles, and gives and takes them",
};

export function adminAccountPage(shown: AdminAccountPage): Promise<string> {
  const { visit, account, history, made, outcome } = shown;
  const at = `/admin/accounts/${encodeURIComponent(account.id)}`;
  return adminPage({
    visit,
    title: account.name,
    above: html`<a href="/admin/accounts">Accounts</a>`,
    ...(outcome && { outcome }),
    body: html`
      ${made === undefined ? null : madeLink(made)} ${facts(account, history)} ${roleForm(account, at)}
      <h2 id="link">Sign-in link</h2>
      <form method="post" action="${at}/link" class="stack">
        <p>For its owner, who has lost every other way in. Who has the link is this account.</p>
        <label for="hours">Hours that it lasts</label>
        <input id="hours" name="hours" type="number" min="1" max="168" value="24" required />
        <div><button class="quiet">Make a sign-in link</button></div>
      </form>
      ${banForm(shown, at)}
      <h2 id="decisions">Decided about it</h2>
      ${history.decisions.length === 0 ? html`<p class="empty">Nothing.</p>` : decisionList(history.decisions)}
    `,
  });
}

function facts({ id, banReason, providers, createdAt }: AccountSummary, history: AccountHistory): Html {
  return html`<dl class="facts">
    <dt>Id</dt>
    <dd><code>${id}</code></dd>
    <dt>Made</dt>
    <dd>${moment(createdAt)}</dd>
    <dt>Signs in by</dt>
    <dd>${providers.length === 0 ? "links alone" : providers.join(", ")}</dd>
    <dt>Handed in</dt>
    <dd>
      ${count(history.submissions, "submission", "submissions")}, ${history.ranked}
      ranked${history.waiting === 0 ? null : `; ${count(history.waiting, "run waits", "runs wait")} for a moderator`}
    </dd>
    ${
      banReason === null
        ? null
        : html`<dt>Banned</dt>
            <dd class="bad">${history.ban === null ? null : moment(history.ban.at)} ${banReason}</dd>`
    }
  </dl>`;
}

function roleForm({ roles }: AccountSummary, at: string): Html {
  return html`<h2 id="roles">Roles</h2>
    <form method="post" action="${at}/roles" class="stack wide">
      <fieldset>
        <legend>What it may do besides taking part</legend>
        ${ROLES.map(
          (role) =>
            html`<label class="choice"
              ><input type="checkbox" name="role" value="${role}" ${roles.includes(role) ? html`checked` : null} />
              ${role} <small>${MEANING[role]}</small></label
            >`,
        )}
      </fieldset>
      <div><button>Save the roles</button></div>
    </form>`;
}

function banForm({ account, reason = "" }: AdminAccountPage, at: string): Html {
  const isBanned = account.banReason !== null;
  return html`<h2 id="ban">${isBanned ? "End the ban" : "Ban"}</h2>
    <details ${reason === "" ? null : html`open`}>
      <summary>${isBanned ? "Let it act again" : "Let it read and appeal, and do nothing else"}</summary>
      <form method="post" action="${at}/${isBanned ? "unban" : "ban"}" class="stack">
        <p>
          ${
            isBanned
              ? "Its results are back on the boards."
              : "What waits or runs of it is cancelled, and its results leave the boards as long as the ban lasts."
          }
        </p>
        <label for="reason">The reason, which its owner reads</label>
        <textarea id="reason" name="reason" rows="3" required maxlength="1000">${reason}</textarea>
        <div>
          <button class="${isBanned ? "quiet" : "danger"}">${isBanned ? "End the ban" : "Ban the account"}</button>
        </div>
      </form>
    </details>`;
}
