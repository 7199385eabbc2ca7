/** Admin page that lists the competitions that the viewer manages. */
import { formatTimeLeft, type Competition } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { hiddenHeading, table } from "../layout/table.ts";

export function adminCompetitionsPage(options: {
  visit: SignedVisit;
  competitions: readonly Competition[];
  now: Date;
  outcome?: Outcome;
}): Promise<string> {
  const { visit, competitions, now, outcome } = options;
  return adminPage({
    visit,
    title: "Competitions",
    ...(outcome && { outcome }),
    body: html`
      <p><a class="button" href="/admin/competitions/new">New competition</a></p>
      ${competitionTable(competitions, now)}
    `,
  });
}

export function competitionTable(competitions: readonly Competition[], now: Date): Html {
  if (competitions.length === 0) {
    return html`<p class="empty">
      You do not organise a competition yet. A competition groups problems and has a start and an end.
    </p>`;
  }
  return table({
    className: "stacked-rows",
    columns: ["Competition", "Status", "Visibility", "Starts", "Ends", "Problems", hiddenHeading("Links")],
    rows: competitions.map((competition) => competitionRow(competition, now)),
  });
}

function competitionRow(competition: Competition, now: Date): Html {
  const { name, title, visibility, startsAt, endsAt, problems } = competition;
  return html`<tr>
    <th scope="row"><a href="/admin/competitions/${name}">${title}</a> <small class="block">${name}</small></th>
    <td class="nowrap">${formatTimeLeft(competition, now)}</td>
    <td>${visibility}</td>
    <td>${moment(startsAt)}</td>
    <td>${moment(endsAt)}</td>
    <td>${count(problems.length, "problem", "problems")}</td>
    <td class="nowrap">
      <a href="/admin/competitions/${name}/invites">Invites<span class="visually-hidden"> of ${title}</span></a> ·
      <a href="/competitions/${name}">Page<span class="visually-hidden"> of ${title}</span></a>
    </td>
  </tr>`;
}
