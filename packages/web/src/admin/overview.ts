/** Start page of the administration: server facts, and the competitions that the viewer manages. */
import { formatBytes, type BackupSummary, type Competition, type ServerSummary } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { fact, figure } from "../layout/table.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { competitionTable } from "./competitions.ts";
import { adminPage, type Outcome } from "./frame.ts";

interface AdminOverview {
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
      ${facts === null ? null : html`${figures(facts)} ${serverSection(facts)}`}
      <h2 id="competitions">Competitions</h2>
      ${competitionTable(competitions, now)}
      <p><a class="button quiet" href="/admin/competitions/new">New competition</a></p>
      ${facts === null ? null : intakeSection(facts)}
    `,
  });
}

function figures({ accounts, submissions, queued, running }: ServerSummary): Html {
  return html`<dl class="figures">
    ${figure("accounts", accounts)} ${figure("submissions", submissions)} ${figure("queued runs", queued)}
    ${figure("running runs", running)}
  </dl>`;
}

function serverSection({
  version,
  startedAt,
  postgres,
  databaseBytes,
  artifactBytes,
  problemsFolder,
  backup,
}: ServerSummary): Html {
  return html`<h2 id="server">Server</h2>
    <dl class="facts">
      ${fact("Version", html`${version}, running since ${moment(startedAt)}`)}
      ${fact("Database", html`PostgreSQL ${postgres}, ${formatBytes(databaseBytes)}`)}
      ${fact("Artifacts", formatBytes(artifactBytes))} ${fact("Problems", html`from <code>${problemsFolder}</code>`)}
      ${fact("Backup", backupStatus(backup))} ${fact("Restore test", testStatus(backup))}
      ${fact("Runners", html`<a href="/admin/runners">Status</a> · <a href="/queue">Queue</a>`)}
    </dl>`;
}

function backupStatus({ takenAt, address, backupError }: BackupSummary): Html {
  const newest =
    takenAt === null
      ? html`<a href="/docs/guides/back-up-and-restore">none yet</a>`
      : html`${moment(takenAt)}${address === null ? null : html` in <code>${address}</code>`}`;
  return backupError === null ? newest : html`${newest} · <strong class="care">failed: ${backupError}</strong>`;
}

function testStatus({ testedAt, testError }: BackupSummary): Html {
  if (testError !== null) return html`<strong class="care">failed: ${testError}</strong>`;
  return testedAt === null ? html`none yet` : html`succeeded ${moment(testedAt)}`;
}

function intakeSection({ accepts }: ServerSummary): Html {
  return html`<h2 id="gate">Submissions</h2>
    <p>
      ${accepts ? "Submissions are accepted." : html`<strong class="care">Submissions are paused.</strong>`} Runs of
      submissions that were already accepted continue.
    </p>
    ${
      accepts
        ? html`<details>
            <summary>Pause submissions</summary>
            <form method="post" action="/admin/gate" class="stack">
              <p>New submissions are rejected with a request to retry later.</p>
              <div><button name="gate" value="shut" class="danger">Pause submissions</button></div>
            </form>
          </details>`
        : html`<form method="post" action="/admin/gate">
            <button name="gate" value="open">Resume submissions</button>
          </form>`
    }`;
}
