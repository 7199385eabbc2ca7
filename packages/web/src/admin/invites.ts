/** Admin page of a competition's invite codes: create, list, download and revoke. */
import type { Competition, Invite } from "@kernelbot/core";
import { button } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { adminPage, type Outcome } from "./frame.ts";

export const INVITE_STATES = ["free", "claimed", "revoked"] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** Maximum number of codes on the page; the text file contains all free ones. */
const SHOWN = 200;
const MOST = 10_000;

export function stateOf({ claimedAt, revokedAt }: Invite): InviteState {
  if (revokedAt !== null) return "revoked";
  return claimedAt === null ? "free" : "claimed";
}

export interface InvitesPage {
  visit: SignedVisit;
  competition: Competition;
  /** Other competitions that the viewer organises; a code may open these as well. */
  others: readonly Competition[];
  invites: readonly Invite[];
  /** State of the codes to list; undefined for all codes. */
  state?: InviteState | undefined;
  /** Base URL of this server, for the invite links. */
  server: string;
  outcome?: Outcome;
}

export function invitesPage(shown: InvitesPage): Promise<string> {
  const { visit, competition, outcome } = shown;
  return adminPage({
    visit,
    title: `Invite codes of ${competition.title}`,
    above: html`<a href="/admin/competitions">Competitions</a> ·
      <a href="/admin/competitions/${competition.name}">${competition.title}</a>`,
    ...(outcome && { outcome }),
    body: html`
      <p>
        Each code is for one account, which joins on the page <code>${shown.server}/join/CODE</code> or by
        <code>kernelbot join CODE</code>.
        ${
          competition.visibility === "closed"
            ? "Only who has joined finds this competition."
            : "This competition is found without one too."
        }
      </p>
      ${making(shown)} ${list(shown)}
    `,
  });
}

function making({ competition, others }: InvitesPage): Html {
  return html`<h2 id="make">Make codes</h2>
    <form method="post" action="/admin/competitions/${competition.name}/invites" class="stack">
      <label for="count">How many</label>
      <input id="count" name="count" type="number" min="1" max="${MOST}" value="10" required />
      ${
        others.length === 0
          ? null
          : html`<fieldset>
              <legend>Each opens this competition, and besides</legend>
              ${others.map(
                ({ name, title }) =>
                  html`<label class="choice"
                    ><input type="checkbox" name="competition" value="${name}" /> ${title}</label
                  >`,
              )}
            </fieldset>`
      }
      <div><button>Make codes</button></div>
    </form>`;
}

function list({ competition, invites, state }: InvitesPage): Html {
  const at = `/admin/competitions/${competition.name}/invites`;
  const of = (wanted: InviteState): number => invites.filter((invite) => stateOf(invite) === wanted).length;
  const shown = state === undefined ? invites : invites.filter((invite) => stateOf(invite) === state);
  const tab = (value: InviteState | undefined, words: string, number: number): Html =>
    html`<li>
      <a
        href="${at}${value === undefined ? "" : `?state=${value}`}#codes"
        ${value === state ? html`aria-current="page"` : null}
        >${words} <span class="number quiet">${number}</span></a
      >
    </li>`;
  return html`<h2 id="codes">Codes</h2>
    ${
      invites.length === 0
        ? html`<p class="empty">There are no codes yet.</p>`
        : html`<ul class="tabs">
              ${tab(undefined, "All", invites.length)} ${tab("free", "Free", of("free"))}
              ${tab("claimed", "Claimed", of("claimed"))} ${tab("revoked", "Revoked", of("revoked"))}
            </ul>
            <p><a href="${at}.txt" download>The free ones as a text file</a>, one address a line.</p>
            ${inviteTable(shown.slice(0, SHOWN), competition)}
            ${shown.length > SHOWN ? html`<p><small>The newest ${SHOWN} of ${shown.length}.</small></p>` : null}`
    }`;
}

function inviteTable(invites: readonly Invite[], competition: Competition): Html {
  return html`<div class="scroll">
    <table class="folds">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Opens</th>
          <th scope="col">Made</th>
          <th scope="col">Claimed</th>
          <th scope="col"><span class="spoken">Revoke</span></th>
        </tr>
      </thead>
      <tbody>
        ${invites.map(
          (invite) =>
            html`<tr>
              <th scope="row"><code>${invite.code}</code></th>
              <td>${invite.competitions.join(", ")}</td>
              <td>${moment(invite.createdAt)}</td>
              <td>
                ${
                  invite.claimedBy === null
                    ? html`<span class="quiet">nobody yet</span>`
                    : html`<strong>${invite.claimedBy.name}</strong>,
                        ${invite.claimedAt === null ? null : moment(invite.claimedAt)}`
                }
              </td>
              <td class="right">
                ${
                  invite.revokedAt === null
                    ? button(
                        `/admin/competitions/${competition.name}/invites/revoke`,
                        html`Revoke<span class="spoken"> ${invite.code}</span>`,
                        { code: invite.code },
                        true,
                      )
                    : html`<small>revoked ${moment(invite.revokedAt)}</small>`
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
