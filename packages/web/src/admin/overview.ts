/** The first page of the administration: what the server is and holds, and what one organises. */
import {
  formatBytes,
  MAX_TOKEN_DAYS,
  TOKEN_DAYS,
  type Competition,
  type NewToken,
  type ServerFacts,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../visit.ts";
import { moment } from "../words.ts";
import { competitionTable } from "./competitions.ts";
import { adminPage, type Outcome } from "./frame.ts";

export interface AdminOverview {
  visit: SignedVisit;
  /** For administrators alone. */
  facts: ServerFacts | null;
  competitions: readonly Competition[];
  now: Date;
  /** The address of this server, for the commands. */
  server: string;
  /** A runner's token that was just made, shown this once. */
  made?: NewToken | undefined;
  outcome?: Outcome;
}

export function adminOverviewPage(shown: AdminOverview): Promise<string> {
  const { visit, facts, competitions, now, outcome } = shown;
  return adminPage({
    visit,
    title: "Administration",
    ...(outcome && { outcome }),
    body: html`
      ${shown.made === undefined ? null : madeToken(shown.made, shown.server)}
      ${facts === null ? null : html`${figures(facts)} ${serverPart(facts)}`}
      <h2 id="competitions">Competitions</h2>
      ${competitionTable(competitions, now)}
      <p><a class="button quiet" href="/admin/competitions/new">New competition</a></p>
      ${facts === null ? null : html`${gate(facts)} ${runnerToken()}`}
    `,
  });
}

function figures({ accounts, submissions, queued, running }: ServerFacts): Html {
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

function serverPart({ version, startedAt, postgres, databaseBytes, artifactBytes, problemsFolder }: ServerFacts): Html {
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
      <dd><a href="/queue">The queue and who works on it</a></dd>
    </dl>`;
}

function gate({ accepts }: ServerFacts): Html {
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

function runnerToken(): Html {
  return html`<h2 id="runners">Token for a runner</h2>
    <form method="post" action="/admin/runner-tokens" class="stack">
      <p>A runner with it claims for these targets, and does nothing else.</p>
      <label for="label">Which machine is it for?</label>
      <input id="label" name="label" required maxlength="100" placeholder="box under the desk" autocomplete="off" />
      <label for="targets">Targets, with spaces between them</label>
      <input id="targets" name="targets" required maxlength="1000" placeholder="H100" autocomplete="off" />
      <label for="days">Days until it expires</label>
      <input id="days" name="days" type="number" min="1" max="${MAX_TOKEN_DAYS}" value="${TOKEN_DAYS}" required />
      <div><button class="quiet">Make a token</button></div>
    </form>
    <p>
      <small>It stands among your own tokens on <a href="/account#tokens">your account</a>, which revokes it.</small>
    </p>`;
}

function madeToken({ token, label, targets }: NewToken, server: string): Html {
  return html`<section class="made" role="status" aria-label="The new token">
    <p><strong>The token ${label}</strong> is shown this once. Keep it like a password. On the machine:</p>
    <pre><code id="made-token">KERNELBOT_RUNNER_TOKEN=${token} npx kernelbot-runner --server ${server} --target ${targets[0]}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-token">Copy</button>
  </section>`;
}
