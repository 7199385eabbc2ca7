/** Admin page of a competition's invites: links for a class, and codes for one account each. */
import type { Competition, Invite, InviteLink, NewInviteLink, SignInLink } from "@kernelbot/core";
import { button, checkbox } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { newLinkNotice } from "./accounts.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { hiddenHeading, table } from "../layout/table.ts";
import { inviteLinksSection, newInviteLinkNotice } from "./invite-links.ts";

export const INVITE_STATES = ["free", "claimed", "revoked"] as const;
type InviteState = (typeof INVITE_STATES)[number];

/** Maximum number of codes on the page; the text file contains all free ones. */
const MAX_SHOWN = 200;
const MAX_CODES = 10_000;

export function inviteState({ claimedAt, revokedAt }: Invite): InviteState {
  if (revokedAt !== null) return "revoked";
  return claimedAt === null ? "free" : "claimed";
}

interface InvitesPage {
  visit: SignedVisit;
  competition: Competition;
  /** Other competitions that the viewer organises; a code may open these as well. */
  others: readonly Competition[];
  invites: readonly Invite[];
  links: readonly InviteLink[];
  /** Invite link that was just created. */
  madeLink?: NewInviteLink | undefined;
  /** Sign-in link that was just created for a participant. */
  madeSignIn?: SignInLink | undefined;
  /** State of the codes to list; undefined for all codes. */
  state?: InviteState | undefined;
  /** Base URL of this server, for the invite links. */
  server: string;
  outcome?: Outcome;
}

export function invitesPage(shown: InvitesPage): Promise<string> {
  const { visit, competition, links, madeLink, madeSignIn, outcome } = shown;
  return adminPage({
    visit,
    title: `Invites of ${competition.title}`,
    above: [
      ["Competitions", "/admin/competitions"],
      [competition.title, `/admin/competitions/${competition.name}`],
    ],
    ...(outcome && { outcome }),
    body: html`
      ${madeLink === undefined ? null : newInviteLinkNotice(madeLink)}
      ${madeSignIn === undefined ? null : newLinkNotice(madeSignIn)} ${inviteLinksSection(competition, links)}
      <h2 id="make">Invite codes</h2>
      <p>
        Each code is for one account, which joins at <code>${shown.server}/join/CODE</code> or with
        <code>kernelbot join CODE</code>.
        ${
          competition.visibility === "closed"
            ? "Only members can see this competition."
            : "This competition is also visible without a code."
        }
      </p>
      ${createForm(shown)} ${list(shown)}
    `,
  });
}

function createForm({ competition, others }: InvitesPage): Html {
  return html`<form method="post" action="/admin/competitions/${competition.name}/invites" class="stack">
    <label for="count">Number of codes</label>
    <input id="count" name="count" type="number" min="1" max="${MAX_CODES}" value="10" required />
    ${
      others.length === 0
        ? null
        : html`<fieldset>
            <legend>Also valid for</legend>
            ${others.map(({ name, title }) => checkbox("competition", name, false, title))}
          </fieldset>`
    }
    <div><button>Create codes</button></div>
  </form>`;
}

function list({ competition, invites, state }: InvitesPage): Html {
  const at = `/admin/competitions/${competition.name}/invites`;
  const of = (state: InviteState): number => invites.filter((invite) => inviteState(invite) === state).length;
  const shown = state === undefined ? invites : invites.filter((invite) => inviteState(invite) === state);
  const tab = (value: InviteState | undefined, label: string, number: number): Html =>
    html`<li>
      <a
        href="${at}${value === undefined ? "" : `?state=${value}`}#codes"
        ${value === state ? html`aria-current="page"` : null}
        >${label} <span class="number quiet">${number}</span></a
      >
    </li>`;
  return html`<h2 id="codes">Codes</h2>
    ${
      invites.length === 0
        ? html`<p class="empty">No codes yet.</p>`
        : html`<ul class="tabs">
              ${tab(undefined, "All", invites.length)} ${tab("free", "Unused", of("free"))}
              ${tab("claimed", "Claimed", of("claimed"))} ${tab("revoked", "Revoked", of("revoked"))}
            </ul>
            <p><a href="${at}.txt" download>Download the unused codes as a text file</a>, one URL per line.</p>
            ${inviteTable(shown.slice(0, MAX_SHOWN), competition)}
            ${shown.length > MAX_SHOWN ? html`<p><small>Showing the newest ${MAX_SHOWN} of ${shown.length}.</small></p>` : null}`
    }`;
}

function inviteTable(invites: readonly Invite[], competition: Competition): Html {
  return table({
    className: "stacked-rows",
    columns: ["Code", "Competitions", "Created", "Claimed", hiddenHeading("Revoke")],
    rows: invites.map(
      (invite) =>
        html`<tr>
          <th scope="row"><code>${invite.code}</code></th>
          <td>${invite.competitions.join(", ")}</td>
          <td>${moment(invite.createdAt)}</td>
          <td>
            ${
              invite.claimedBy === null
                ? html`<span class="quiet">not claimed</span>`
                : html`<strong>${invite.claimedBy.name}</strong>,
                    ${invite.claimedAt === null ? null : moment(invite.claimedAt)}`
            }
          </td>
          <td class="right">
            ${
              invite.revokedAt === null
                ? button(
                    `/admin/competitions/${competition.name}/invites/revoke`,
                    html`Revoke<span class="visually-hidden"> ${invite.code}</span>`,
                    { code: invite.code },
                    true,
                  )
                : html`<small>revoked ${moment(invite.revokedAt)}</small>`
            }
          </td>
        </tr>`,
    ),
  });
}
