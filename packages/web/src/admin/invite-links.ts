/** Section of the invites page: links by which a class joins a competition. */
import {
  MAX_INVITE_LINK_DAYS,
  MAX_INVITE_LINK_USES,
  type Competition,
  type InviteLink,
  type NewInviteLink,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count, moment } from "../layout/format.ts";
import { button } from "../layout/forms.ts";
import { hiddenHeading, table } from "../layout/table.ts";

/** Renders a new invite link, which is shown only once. */
export function newInviteLinkNotice({ url, maxUses, expiresAt }: NewInviteLink): Html {
  return html`<section class="created" role="status" aria-label="Invite link">
    <p>
      <strong>Send this link to your participants.</strong> ${count(maxUses, "person", "people")} can join by it until
      ${moment(expiresAt)}. It is shown only now.
    </p>
    <pre><code id="made-invite">${url}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-invite">Copy</button>
  </section>`;
}

export function inviteLinksSection(competition: Competition, links: readonly InviteLink[]): Html {
  const at = `/admin/competitions/${competition.name}/invite-links`;
  return html`<h2 id="links">Invite links</h2>
    <p>
      One link for a whole class: people who open it choose a name, or use the account that they have, and join this
      competition.
    </p>
    <form method="post" action="${at}" class="stack">
      <label for="uses">Number of people</label>
      <input id="uses" name="maxUses" type="number" min="1" max="${MAX_INVITE_LINK_USES}" value="40" required />
      <label for="days">Valid for (days)</label>
      <input id="days" name="days" type="number" min="1" max="${MAX_INVITE_LINK_DAYS}" value="14" required />
      <div><button>Create link</button></div>
    </form>
    ${links.map((link) => linkDetails(link, at))}`;
}

function linkDetails({ id, maxUses, createdBy, createdAt, expiresAt, revokedAt, uses }: InviteLink, at: string): Html {
  const hasEnded = revokedAt !== null || new Date(expiresAt) <= new Date();
  return html`<h3>Link ${id}</h3>
    <p>
      <strong>${uses.length} of ${maxUses}</strong> joined. Created by ${createdBy.name}, ${moment(createdAt)};
      ${
        revokedAt === null
          ? html`${hasEnded ? "expired" : "expires"} ${moment(expiresAt)}.`
          : html`revoked ${moment(revokedAt)}.`
      }
    </p>
    ${
      hasEnded
        ? null
        : html`<p>
            ${button(`${at}/${id}/revoke`, html`Revoke<span class="visually-hidden"> link ${id}</span>`, {}, true)}
            <small>No one else can join by it; the people who joined remain members.</small>
          </p>`
    }
    ${uses.length === 0 ? null : usesTable(uses, at)}`;
}

function usesTable(uses: InviteLink["uses"], at: string): Html {
  return table({
    className: "stacked-rows",
    columns: ["Account", "Joined", hiddenHeading("Sign-in link")],
    rows: uses.map(
      ({ account, at: joinedAt, registered }) =>
        html`<tr>
          <th scope="row"><a href="/people/${account.id}">${account.name}</a></th>
          <td>${moment(joinedAt)}${registered ? null : html` <small>with an existing account</small>`}</td>
          <td class="right">
            ${
              registered
                ? button(
                    `${at}/sign-in`,
                    html`Sign-in link<span class="visually-hidden"> for ${account.name}</span>`,
                    { name: account.name },
                    true,
                  )
                : null
            }
          </td>
        </tr>`,
    ),
  });
}
