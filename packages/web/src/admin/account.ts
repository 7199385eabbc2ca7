/** Admin page of one account: roles, ban, sign-in link and history. */
import { ROLES, type AccountHistory, type AccountSummary, type Role, type SignInLink } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { decisionList } from "../moderation/decision-list.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { button, checkbox } from "../layout/forms.ts";
import { count, moment } from "../layout/format.ts";
import { newLinkNotice } from "./accounts.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { fact } from "../layout/table.ts";

interface AdminAccountPage {
  visit: SignedVisit;
  account: AccountSummary;
  history: AccountHistory;
  made?: SignInLink | undefined;
  /** Reason as typed, if the ban failed. */
  reason?: string | undefined;
  outcome?: Outcome;
}

const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  organiser: "creates competitions and invites participants",
  moderator: "decides about runs, submissions and accounts, and can see everything",
  administrator: "has all roles, and assigns roles to other accounts",
};

export function adminAccountPage(shown: AdminAccountPage): Promise<string> {
  const { visit, account, history, made, outcome } = shown;
  const at = `/admin/accounts/${encodeURIComponent(account.id)}`;
  return adminPage({
    visit,
    title: account.name,
    above: [["Accounts", "/admin/accounts"]],
    ...(outcome && { outcome }),
    body: html`
      ${made === undefined ? null : newLinkNotice(made)} ${facts(account, history)}
      ${account.erasedAt === undefined ? forms(shown, at) : null}
      <h2 id="decisions">Moderator decisions</h2>
      ${history.decisions.length === 0 ? html`<p class="empty">None.</p>` : decisionList(history.decisions)}
    `,
  });
}

/** Renders what an administrator can do with an account that has an owner. */
function forms(shown: AdminAccountPage, at: string): Html {
  return html`${roleForm(shown.account, at)}
    <h2 id="link">Sign-in link</h2>
    <form method="post" action="${at}/link" class="stack">
      <p>For an owner who has no other way to sign in. Anyone who has the link can use this account.</p>
      <label for="hours">Valid for (hours)</label>
      <input id="hours" name="hours" type="number" min="1" max="168" value="24" required />
      <div><button class="quiet">Create sign-in link</button></div>
    </form>
    ${banForm(shown, at)}
    <h2 id="data">Personal data</h2>
    <p>On request of the owner, download the data or <a href="${at}/erase">erase the account</a>.</p>
    <div class="buttons">${button(`${at}/export`, "Download as ZIP file", {}, true)}</div>`;
}

function facts({ id, banReason, providers, createdAt, erasedAt }: AccountSummary, history: AccountHistory): Html {
  return html`<dl class="facts">
    ${fact("ID", html`<code>${id}</code>`)} ${fact("Created", moment(createdAt))}
    ${erasedAt === undefined ? null : fact("Erased", moment(erasedAt))}
    ${fact("Sign-in methods", providers.length === 0 ? "sign-in links only" : providers.join(", "))}
    ${fact(
      "Submissions",
      html`${history.submissions.toLocaleString("en-US")}, ${history.ranked}
      ranked${history.waiting === 0 ? null : `; ${count(history.waiting, "flagged run", "flagged runs")}`}`,
    )}
    ${
      banReason === null
        ? null
        : html`<dt>Banned</dt>
            <dd class="bad">${history.ban === null ? null : moment(history.ban.at)} ${banReason}</dd>`
    }
  </dl>`;
}

function roleForm({ assignedRoles, groupRoles }: AccountSummary, at: string): Html {
  return html`<h2 id="roles">Roles</h2>
    <form method="post" action="${at}/roles" class="stack wide">
      <fieldset>
        <legend>Rights in addition to those of a participant</legend>
        ${ROLES.map((role) => {
          const description = `${ROLE_DESCRIPTIONS[role]}${groupRoles.includes(role) ? "; also given by a group" : ""}`;
          return checkbox("role", role, assignedRoles.includes(role), html`${role} <small>${description}</small>`);
        })}
      </fieldset>
      <div><button>Save roles</button></div>
    </form>`;
}

function banForm({ account, reason = "" }: AdminAccountPage, at: string): Html {
  const isBanned = account.banReason !== null;
  return html`<h2 id="ban">${isBanned ? "Unban" : "Ban"}</h2>
    <details ${reason === "" ? null : html`open`}>
      <summary>
        ${isBanned ? "Lift the restriction to reading and appeals" : "Restrict the account to reading and appeals"}
      </summary>
      <form method="post" action="${at}/${isBanned ? "unban" : "ban"}" class="stack">
        <p>
          ${
            isBanned
              ? "Its results return to the leaderboards."
              : "Its queued and running runs are cancelled, and its results are hidden from the leaderboards during the ban."
          }
        </p>
        <label for="reason">Reason, shown to the owner</label>
        <textarea id="reason" name="reason" rows="3" required maxlength="1000">${reason}</textarea>
        <div>
          <button class="${isBanned ? "quiet" : "danger"}">${isBanned ? "Unban account" : "Ban account"}</button>
        </div>
      </form>
    </details>`;
}
