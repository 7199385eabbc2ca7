/** Start page of the administration: server facts, and the competitions that the viewer manages. */
import { formatBytes, type Competition, type ServerSummary } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { competitionTable } from "./competitions.ts";
import { adminPage, type Outcome } from "./frame.ts";

export interface AdminOverview {
  visit: SignedVisit;
  /** Facts about the server; null unless the viewer is an administrator. */
  facts: ServerSummary | null;
  competitions: readonly Competition[];
  now: Date;
  outcome?: Outcome;
}

export function adminOverviewPage(shown: AdminOverview): Promise<string> {
  const { visit, facts, competitions, now, outcome } = shown;
  return adminPage({
    visit,
    title: "Administration",
    ...(outcome && { outcome }),
    body: html`
      ${facts === null ? null : html`${figures(facts)} ${serverPart(facts)}`}
      <h2 id="competitions">Competitions</h2>
      ${competitionTable(competitions, now)}
      <p><a class="button quiet" href="/admin/competitions/new">New competition</a></p>
      ${facts === null ? null : gate(facts)}
    `,
  });
}

function figures({ accounts, submissions, queued, running }: ServerSummary): Html {
  const figure = (words: string, number: number): Html =>
    html`<div>
      <dt>${words}</dt>
      <dd>${number.toLocaleString("en-US")}</dd>
    </div>`;
  return html`<dl class="figures">
    ${figure("accounts", accounts)} ${figure("submissions", submissions)} ${figure("runs that wait", queued)}
    ${figure("runs at work", running)}
  </dl>`;
}

function serverPart({
  version,
  startedAt,
  postgres,
  databaseBytes,
  artifactBytes,
  problemsFolder,
}: ServerSummary): Html {
  return html`<h2 id="server">Server</h2>
    <dl class="facts">
      <dt>Version</dt>
      <dd>${version}, running since ${moment(startedAt)}</dd>
      <dt>Database</dt>
      <dd>PostgreSQL ${postgres}, ${formatBytes(databaseBytes)}</dd>
      <dt>Artifacts</dt>
      <dd>${formatBytes(artifactBytes)}</dd>
      <dt>Problems</dt>
      <dd>from <code>${problemsFolder}</code></dd>
      <dt>Runners</dt>
      <dd><a href="/admin/runners">How they are</a>, and <a href="/queue">the queue</a></dd>
    </dl>`;
}

function gate({ accepts }: ServerSummary): Html {
  return html`<h2 id="gate">Submissions</h2>
    <p>
      ${accepts ? "They are taken." : html`<strong class="care">None are taken at the moment.</strong>`} What was
      accepted before goes on either way.
    </p>
    ${
      accepts
        ? html`<details>
            <summary>Take none for a while</summary>
            <form method="post" action="/admin/gate" class="stack">
              <p>Everybody who submits is told to come back later.</p>
              <div><button name="gate" value="shut" class="danger">Take none</button></div>
            </form>
          </details>`
        : html`<form method="post" action="/admin/gate">
            <button name="gate" value="open">Take them again</button>
          </form>`
    }`;
}
