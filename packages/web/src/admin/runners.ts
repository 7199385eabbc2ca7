/** Admin page of all runners: their health, their join tokens, and a form to add a runner. */
import {
  formatDrift,
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

export interface AdminRunnersPage {
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
      ${made === undefined ? null : madeToken(made, server)} ${overview(runners)} ${table(runners)}
      <h2 id="tokens">What runners join with</h2>
      ${tokenTable(tokens)} ${newToken()}
    `,
  });
}

function overview(runners: readonly RunnerStatus[]): Html | null {
  if (runners.length === 0) return null;
  const number = (is: (runner: RunnerStatus) => boolean): number => runners.filter(is).length;
  const figure = (words: string, figure: number): Html =>
    html`<div>
      <dt>${words}</dt>
      <dd>${figure}</dd>
    </div>`;
  return html`<dl class="figures">
    ${figure(
      "work",
      number(({ state }) => state === "working"),
    )}
    ${figure(
      "wait for work",
      number(({ state, standing }) => state === "waiting" && standing === "active"),
    )}
    ${figure(
      "paused or draining",
      number(({ standing }) => standing !== "active"),
    )}
    ${figure(
      "gone",
      number(({ state, standing }) => state === "gone" && standing === "active"),
    )}
  </dl>`;
}

function table(runners: readonly RunnerStatus[]): Html {
  if (runners.length === 0) return html`<p class="empty">No runner was heard of in the last week.</p>`;
  return html`<div class="scroll">
    <table class="folds">
      <caption>
        Those that were heard of in the last week, or are told to do nothing.
      </caption>
      <thead>
        <tr>
          <th scope="col">Runner</th>
          <th scope="col">Now</th>
          <th scope="col">Attempts</th>
          <th scope="col">Canary</th>
        </tr>
      </thead>
      <tbody>
        ${runners.map(
          (runner) =>
            html`<tr>
              <th scope="row">
                <a href="/admin/runners/${runner.id}">${runner.name}</a> <span class="target">${runner.target}</span>
                <small class="block">${runner.model} ${runner.sandbox === "none" ? UNSANDBOXED : null}</small>
              </th>
              <td>${now(runner)}</td>
              <td>${attempts(runner)}</td>
              <td>${drift(runner)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Renders a runner's activity, and who paused or drained it and why. */
export function now(runner: RunnerStatus): Html {
  const { refused, standing, reason, standingBy } = runner;
  return html`${doing(runner)}
  ${
    standing === "active"
      ? null
      : html`<small class="block">${standing} by ${standingBy?.name ?? "the server"}: ${reason}</small>`
  }
  ${refused === null ? null : html`<small class="block">${refused}</small>`}`;
}

function doing({ state, standing, runs, lastSeenAt, revoked, refused }: RunnerStatus): Html {
  if (state === "working") {
    return html`${runs.map(
      (run) =>
        html`<a href="/submissions/${run.submissionId}">${run.board}</a> ${run.mode}
          <small class="block">${run.stage ?? "starting"}, since ${moment(run.startedAt)}</small>`,
    )}`;
  }
  const seen = html`<small class="block">heard of at ${moment(lastSeenAt)}</small>`;
  if (refused !== null) return html`<span class="badge bad">refused</span> ${seen}`;
  if (state === "waiting" && standing === "active") return html`<span class="badge good">waits for work</span> ${seen}`;
  if (state === "waiting") return html`<span class="badge care">${standing}</span> ${seen}`;
  return html`<span class="badge care">gone</span> ${seen}
    ${revoked ? html`<small class="block">its token has ended</small>` : null}`;
}

function attempts({ attempts: { ended, failed, infraErrors, infraErrorsInRow } }: RunnerStatus): Html {
  return html`${ended.toLocaleString("en-US")} ended
    <small class="block">${count(failed, "kernel", "kernels")} failed</small>
    <small class="block ${infraErrorsInRow > 0 ? "care" : ""}"
      >${infraErrors} without a verdict${infraErrorsInRow > 0 ? `, the last ${infraErrorsInRow}` : ""}</small
    >`;
}

function drift({ canary: { at, failure, drift, bound, baselineNs } }: RunnerStatus): Html {
  if (at === null) return NONE;
  const isFar = drift !== null && bound !== null && Math.abs(drift) > bound / 2;
  const words =
    failure !== null
      ? html`<span class="badge bad">failed</span>`
      : drift === null
        ? html`${baselineNs === null ? "makes its baseline" : "not compared yet"}`
        : html`<span class="${isFar ? "care" : ""}">${formatDrift(drift)}</span>`;
  return html`${words} <small class="block">timed at ${moment(at)}</small>`;
}

function tokenTable(tokens: readonly JoinToken[]): Html {
  if (tokens.length === 0) return html`<p class="empty">There is no token that a runner can join with.</p>`;
  return html`<table class="things">
    <tbody>
      ${tokens.map(
        ({ id, label, account, targets, runners, joined, lastUsedAt, expiresAt }) =>
          html`<tr>
            <td>
              <strong>${label}</strong> ${targets.map((target) => html`<span class="target">${target}</span> `)}
              <small class="block"
                >${runners === null ? count(joined, "runner", "runners") : `${joined} of ${count(runners, "runner", "runners")}`}
                joined; made by ${account.name};
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
      <p>A token with which a runner joins: it claims for these targets, and does nothing else.</p>
      <label for="label">Which machine is it for?</label>
      <input id="label" name="label" required maxlength="100" placeholder="box under the desk" autocomplete="off" />
      <label for="targets">Targets, with spaces between them</label>
      <input id="targets" name="targets" required maxlength="1000" placeholder="H100" autocomplete="off" />
      <label for="runners">Runners that may join with it</label>
      <input id="runners" name="runners" type="number" min="1" max="1000" value="1" required />
      <label for="days">Days until it expires</label>
      <input id="days" name="days" type="number" min="1" max="${MAX_TOKEN_DAYS}" value="${TOKEN_DAYS}" required />
      <div><button class="quiet">Make a token</button></div>
    </form>`;
}

function madeToken({ token, label, targets }: NewToken, server: string): Html {
  const commands = targets.map(
    (target) => `KERNELBOT_RUNNER_TOKEN=${token} npx kernelbot-runner --server ${server} --target ${target}`,
  );
  return html`<section class="made" role="status" aria-label="The new token">
    <p>
      <strong>The token ${label}</strong> is shown this once. Keep it like a password. On the machine, in a checkout of
      KernelBot:
    </p>
    <pre><code id="made-token">${commands.join("\n")}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="made-token">Copy</button>
  </section>`;
}
