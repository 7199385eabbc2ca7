/** Admin page of all runners: their health, their join tokens, and a form to add a runner. */
import {
  formatDrift,
  installRunnerCommand,
  MAX_TOKEN_DAYS,
  TOKEN_DAYS,
  type JoinToken,
  type NewToken,
  type RunnerStatus,
} from "@kernelbot/core";
import { button } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import { NONE, UNSANDBOXED } from "../results/timing.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { figure, table } from "../layout/table.ts";

interface AdminRunnersPage {
  visit: SignedVisit;
  runners: readonly RunnerStatus[];
  tokens: readonly JoinToken[];
  /** Base URL of this server, for the commands. */
  server: string;
  /** Newly created token, shown only once. */
  made?: NewToken | undefined;
  outcome?: Outcome;
}

export function adminRunnersPage(shown: AdminRunnersPage): Promise<string> {
  const { visit, runners, tokens, made, server, outcome } = shown;
  return adminPage({
    visit,
    title: "Runners",
    ...(outcome && { outcome }),
    body: html`
      ${made === undefined ? null : newTokenNotice(made, server)} ${overview(runners)} ${runnerTable(runners)}
      <h2 id="tokens">Runner tokens</h2>
      ${tokenTable(tokens)} ${newToken()}
    `,
  });
}

function overview(runners: readonly RunnerStatus[]): Html | null {
  if (runners.length === 0) return null;
  const number = (is: (runner: RunnerStatus) => boolean): number => runners.filter(is).length;
  return html`<dl class="figures">
    ${figure(
      "working",
      number(({ state }) => state === "working"),
    )}
    ${figure(
      "idle",
      number(({ state, adminState }) => state === "waiting" && adminState === "active"),
    )}
    ${figure(
      "paused or draining",
      number(({ adminState }) => adminState !== "active"),
    )}
    ${figure(
      "offline",
      number(({ state, adminState }) => state === "gone" && adminState === "active"),
    )}
  </dl>`;
}

function runnerTable(runners: readonly RunnerStatus[]): Html {
  if (runners.length === 0) return html`<p class="empty">No runner has connected yet.</p>`;
  return table({
    className: "stacked-rows",
    caption: "Runners of the last week, the latest of each target, and those that are paused or draining.",
    columns: ["Runner", "Status", "Attempts", "Canary"],
    rows: runners.map(
      (runner) =>
        html`<tr>
          <th scope="row">
            <a href="/admin/runners/${runner.id}">${runner.name}</a> <span class="target">${runner.target}</span>
            <small class="block">${runner.model} ${runner.sandbox === "none" ? UNSANDBOXED : null}</small>
          </th>
          <td>${runnerStatus(runner)}</td>
          <td>${attempts(runner)}</td>
          <td>${drift(runner)}</td>
        </tr>`,
    ),
  });
}

/** Renders a runner's activity, and who paused or drained it and why. */
export function runnerStatus(runner: RunnerStatus): Html {
  const { refused, adminState, reason, adminStateBy } = runner;
  return html`${activity(runner)}
  ${
    adminState === "active"
      ? null
      : html`<small class="block">${adminState} by ${adminStateBy?.name ?? "the server"}: ${reason}</small>`
  }
  ${refused === null ? null : html`<small class="block">${refused}</small>`}`;
}

function activity({ state, adminState, runs, lastSeenAt, revoked, refused }: RunnerStatus): Html {
  if (state === "working") {
    return html`${runs.map(
      (run) =>
        html`<a href="/submissions/${run.submissionId}">${run.board}</a> ${run.mode}
          <small class="block">${run.stage ?? "starting"}, since ${moment(run.startedAt)}</small>`,
    )}`;
  }
  const seen = html`<small class="block">last seen ${moment(lastSeenAt)}</small>`;
  if (refused !== null) return html`<span class="badge bad">rejected</span> ${seen}`;
  if (state === "waiting" && adminState === "active") return html`<span class="badge good">idle</span> ${seen}`;
  if (state === "waiting") return html`<span class="badge care">${adminState}</span> ${seen}`;
  return html`<span class="badge care">offline</span> ${seen}
    ${revoked ? html`<small class="block">token revoked</small>` : null}`;
}

function attempts({ attempts: { ended, failed, infraErrors, infraErrorsInRow } }: RunnerStatus): Html {
  return html`${ended.toLocaleString("en-US")} finished
    <small class="block">${count(failed, "failed kernel", "failed kernels")}</small>
    <small class="block ${infraErrorsInRow > 0 ? "care" : ""}"
      >${infraErrors} without a verdict${infraErrorsInRow > 0 ? `, including the last ${infraErrorsInRow}` : ""}</small
    >`;
}

function drift({ canary: { at, failure, drift, bound, baselineNs } }: RunnerStatus): Html {
  if (at === null) return NONE;
  const isFar = drift !== null && bound !== null && Math.abs(drift) > bound / 2;
  const label =
    failure !== null
      ? html`<span class="badge bad">failed</span>`
      : drift === null
        ? html`${baselineNs === null ? "recording the baseline" : "not compared yet"}`
        : html`<span class="${isFar ? "care" : ""}">${formatDrift(drift)}</span>`;
  return html`${label} <small class="block">timed ${moment(at)}</small>`;
}

function tokenTable(tokens: readonly JoinToken[]): Html {
  if (tokens.length === 0) return html`<p class="empty">No runner tokens.</p>`;
  return html`<table class="list-table">
    <tbody>
      ${tokens.map(
        ({ id, label, account, targets, runners, joined, lastUsedAt, expiresAt }) =>
          html`<tr>
            <td>
              <strong>${label}</strong> ${targets.map((target) => html`<span class="target">${target}</span> `)}
              <small class="block"
                >${runners === null ? count(joined, "runner", "runners") : `${joined} of ${count(runners, "runner", "runners")}`}
                joined; created by ${account.name};
                ${lastUsedAt === null ? "never used" : html`last used ${moment(lastUsedAt)}`};
                ${expiresAt === null ? "does not expire" : html`expires ${moment(expiresAt)}`}</small
              >
            </td>
            <td class="right">${button(`/admin/runner-tokens/${id}/revoke`, "Revoke", {}, true)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function newToken(): Html {
  return html`<h2 id="add">Add a runner</h2>
    <form method="post" action="/admin/runner-tokens" class="stack">
      <p>A runner uses its token to claim runs for these targets. The token grants no other access.</p>
      <label for="label">Label, such as the name of the machine</label>
      <input id="label" name="label" required maxlength="100" placeholder="lab-h100-1" autocomplete="off" />
      <label for="targets">Targets, separated by spaces</label>
      <input id="targets" name="targets" required maxlength="1000" placeholder="H100" autocomplete="off" />
      <label for="runners">Maximum number of runners</label>
      <input id="runners" name="runners" type="number" min="1" max="1000" value="1" required />
      <label for="days">Days until it expires</label>
      <input id="days" name="days" type="number" min="1" max="${MAX_TOKEN_DAYS}" value="${TOKEN_DAYS}" required />
      <div><button class="quiet">Create token</button></div>
    </form>`;
}

function newTokenNotice({ token, label, targets, warnings }: NewToken, server: string): Html {
  const commands = targets.map((target) => installRunnerCommand({ server, token, target }));
  return html`<section class="created" role="status" aria-label="New token">
    ${warnings.map((warning) => html`<p class="notice care">Warning: ${warning}</p>`)}
    <p>
      <strong>The token ${label}</strong> is shown only once. Keep it secret, like a password. On the machine with the
      hardware, run:
    </p>
    <pre><code id="made-token">${commands.join("\n")}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-token">Copy</button>
  </section>`;
}
