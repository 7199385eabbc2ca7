import {
  canRun,
  ENOUGH_RUNS,
  formatAvailability,
  formatBusyMachine,
  formatWait,
  installRunnerCommand,
  type Queue,
  type QueueTarget,
  type RunnerStatus,
  type WaitingRun,
} from "@kernelbot/core";
import { staysQueued } from "./runner-notice.ts";
import { bars } from "../chart/bars.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { NONE, UNSANDBOXED } from "../results/timing.ts";
import type { Visit } from "../layout/page-context.ts";
import { capital, count, formatDuration, moment } from "../layout/format.ts";
import { figure, table } from "../layout/table.ts";
import { personLink } from "../profile/page.ts";

export interface QueuePage {
  queue: Queue;
  /** Data for administrators; null for other viewers. */
  inside: { runners: readonly RunnerStatus[]; waiting: readonly WaitingRun[] } | null;
  /** Base URL of this server, for the commands. */
  server: string;
  visit: Visit;
}

/** Renders the queue: queued and running runs, runners, and statistics of the last 24 hours. */
export function queuePage({ queue, inside, server, visit }: QueuePage): Promise<string> {
  return page({
    title: "Runners and queue",
    visit,
    islands: ["live"],
    description: "Queued and running runs on each target, online runners, and the expected wait.",
    body: html`
      <h1>Runners and queue</h1>
      <div id="queue" data-live="/queue/updates">
        <p class="lead">${overview(queue)}</p>
        ${queue.targets.filter(isActive).map((target) => section(target, queue.at, server))}
        ${quietTargets(
          queue.targets.filter((target) => !isActive(target)),
          server,
        )}
        ${inside === null ? null : html`${runnerTable(inside.runners)} ${waitingTable(inside.waiting)}`}
      </div>
    `,
  });
}

function overview({ at, targets }: Queue): Html {
  if (targets.length === 0) return html`No leaderboards yet, so the queue is empty.`;
  const sum = (of: (target: QueueTarget) => number): number => targets.reduce((total, each) => total + of(each), 0);
  const served = targets.filter((target) => machines(target) > 0).length;
  return html`${
      served === 0
        ? "No runners online"
        : html`${count(sum(machines), "runner", "runners")} online for ${count(served, "target", "targets")}`
    };
    ${count(
      sum(({ running }) => running),
      "run",
      "runs",
    )}
    in progress, ${sum(({ waiting }) => waiting).toLocaleString("en-US")} queued.
    <small class="block">As of ${moment(at)} UTC.</small>`;
}

/** Returns whether a target can run, or has queued or running runs, or runs in the last 24 hours. */
function isActive(target: QueueTarget): boolean {
  const { waiting, running, hours } = target;
  return canRun(target) || waiting + running > 0 || hours.some(({ runs }) => runs > 0);
}

function machines({ runners }: QueueTarget): number {
  return runners.reduce((sum, { count }) => sum + count, 0);
}

function section(target: QueueTarget, at: string, server: string): Html {
  const { oldestAt, waiting, running, expectedWaitMs } = target;
  const here = machines(target);
  return html`<section class="queue" id="queue-${target.target}" aria-labelledby="target-${target.target}">
    <h2 id="target-${target.target}">${target.target}</h2>
    ${here === 0 ? noRunner(target, at, server) : html`<p class="quiet">${models(target)}</p>`}
    <dl class="figures">
      ${figure(here === 1 ? "runner" : "runners", String(here))} ${figure("running", String(running))}
      ${figure("queued", waiting.toLocaleString("en-US"))}
      ${oldestAt === null ? null : figure("oldest queued for", formatDuration(Date.parse(at) - Date.parse(oldestAt)))}
      ${figure("expected wait", expectedWaitMs === null ? NONE : formatWait(expectedWaitMs))}
    </dl>
    <p class="quiet wait-basis">${waitBasis(target, here)}</p>
    ${lastDay(target)}
  </section>`;
}

function models({ runners }: QueueTarget): string {
  return runners.map(({ model, count }) => (count === 1 ? model : `${count} × ${model}`)).join(", ");
}

function noRunner(target: QueueTarget, at: string, server: string): Html {
  const { target: name, status, waiting, lastRunnerAt } = target;
  const counted = { status, queued: waiting, lastSeenAt: lastRunnerAt };
  const sentence = capital(formatAvailability(name, counted, new Date(at)) ?? "");
  if (canRun(target)) return html`<p class="quiet">${sentence}.</p>`;
  return html`<div class="notice care">
    <p>${sentence}. ${staysQueued(target)}</p>
    ${status === "paused" ? null : howToAdd(name, server)}
  </div>`;
}

/** Renders the targets that have boards but no runners and no activity; null if there are none. */
function quietTargets(targets: readonly QueueTarget[], server: string): Html | null {
  const [first] = targets;
  if (first === undefined) return null;
  return html`<section class="queue" aria-labelledby="quiet">
    <h2 id="quiet">Targets without a runner</h2>
    <p>${targets.map(({ target }) => html`<span class="target">${target}</span> `)}</p>
    <p class="quiet">
      These targets have leaderboards but no runner. Submissions to them stay queued until a runner connects.
    </p>
    ${howToAdd(targets.length === 1 ? first.target : "TARGET", server)}
  </section>`;
}

function howToAdd(target: string, server: string): Html {
  return html`<details id="add-${target}">
    <summary>How to add a runner</summary>
    <p>
      An administrator runs the first command, which creates the runner’s token and prints the second one for the
      machine with the hardware:
    </p>
    <pre tabindex="0" aria-label="Commands"><code>kernelbot runners add ${target}
${installRunnerCommand({ server, token: "kb_...", target })}</code></pre>
    <p><a href="/docs/guides/add-a-runner">Add a runner</a> explains each step.</p>
  </details>`;
}

/** Explains how the expected wait is estimated, or why it is unknown. */
function waitBasis({ modes, expectedWaitMs }: QueueTarget, runnerCount: number): Html | string {
  const known = modes.flatMap(({ mode, medianMs, runs }) =>
    medianMs === null ? [] : [`${mode} ${formatDuration(medianMs)} (${count(runs, "run", "runs")})`],
  );
  const medians = known.length === 0 ? "" : `Median duration of recent runs: ${known.join(", ")}.`;
  if (expectedWaitMs !== null) {
    return `The expected wait is for a test run of an account that has no other queued runs. ${medians}`.trim();
  }
  if (runnerCount === 0) return medians;
  const unknown = modes.filter(({ medianMs, waiting }) => medianMs === null && waiting > 0).map(({ mode }) => mode);
  const which = unknown.length === 0 ? "this mode" : `mode ${unknown.join(", ")}`;
  return `${medians} The expected wait is unknown: fewer than ${ENOUGH_RUNS} runs of ${which} finished in the last week.`;
}

function lastDay({ hours, target }: QueueTarget): Html {
  const runs = hours.reduce((sum, hour) => sum + hour.runs, 0);
  if (runs === 0) return html`<p class="quiet">No runs finished in the last 24 hours.</p>`;
  const errors = hours.reduce((sum, hour) => sum + hour.infraErrors, 0);
  const waits = hours.flatMap(({ medianWaitMs }) => (medianWaitMs === null ? [] : [medianWaitMs]));
  const ends = ["24 hours ago", "now"] as const;
  const hour = (at: string): string => `${at.slice(11, 16)} UTC`;
  return html`<div class="day" role="group" aria-label="Last 24 hours of ${target}">
    ${bars({
      title: "Runs per hour.",
      summary: `${runs.toLocaleString("en-US")} in 24 hours, at most ${Math.max(...hours.map((each) => each.runs))} per hour.`,
      bars: hours.map((each) => ({
        value: each.runs,
        tooltip: `${hour(each.at)}: ${count(each.runs, "run", "runs")}`,
      })),
      ends,
    })}
    ${bars({
      title: "Median wait.",
      summary: formatRange(waits),
      bars: hours.map((each) => ({
        value: each.medianWaitMs,
        tooltip: `${hour(each.at)}: ${each.medianWaitMs === null ? "no runs" : formatDuration(each.medianWaitMs)}`,
      })),
      ends,
    })}
    ${bars({
      title: "Infrastructure errors.",
      summary: errors === 0 ? "None." : `${errors} of ${count(runs, "run", "runs")}.`,
      bars: hours.map((each) => ({
        value: each.infraErrors,
        tooltip: `${hour(each.at)}: ${count(each.infraErrors, "error", "errors")}`,
      })),
      ends,
      tone: "care",
    })}
  </div>`;
}

function formatRange(waits: readonly number[]): string {
  if (waits.length === 0) return "Unknown.";
  const [least, most] = [formatDuration(Math.min(...waits)), formatDuration(Math.max(...waits))];
  return least === most ? `${least}.` : `From ${least} to ${most}.`;
}

function runnerTable(runners: readonly RunnerStatus[]): Html {
  return html`<section aria-labelledby="runners">
    <h2 id="runners">Runners</h2>
    <p><a href="/admin/runners">Runner statistics and controls</a></p>
    ${
      runners.length === 0
        ? html`<p class="empty">No runner has connected yet.</p>`
        : table({
            caption: "Runners of the last week, and the latest of each target (visible only to administrators).",
            columns: ["Runner", "Machine", "Status"],
            rows: runners.map(
              (runner) =>
                html`<tr>
                  <th scope="row">
                    <a href="/admin/runners/${runner.id}">${runner.name}</a>
                    <span class="target">${runner.target}</span>
                    <small class="block">${runner.hostname}; token: ${runner.label}</small>
                  </th>
                  <td>
                    ${runner.model} ${runner.sandbox === "none" ? UNSANDBOXED : null}
                    <small class="block">tester ${runner.testerVersion}</small>
                  </td>
                  <td>
                    ${activity(runner)} ${busyMachine(runner)}
                    <small class="block">first seen ${moment(runner.firstSeenAt)}</small>
                  </td>
                </tr>`,
            ),
          })
    }
  </section>`;
}

function activity({ state, adminState, runs, lastSeenAt, revoked }: RunnerStatus): Html {
  switch (state) {
    case "working":
      return html`${runs.map(
        (run) =>
          html`<a href="/submissions/${run.submissionId}">${run.board}</a> ${run.mode}
            <small class="block">${run.stage ?? "starting"}, since ${moment(run.startedAt)}</small>`,
      )}`;
    case "waiting":
      return html`<span class="badge ${adminState === "active" ? "good" : "care"}"
          >${adminState === "active" ? "idle" : adminState}</span
        >
        <small class="block">last poll ${moment(lastSeenAt)}</small>`;
    case "gone":
      return html`<span class="badge care">offline</span> since ${moment(lastSeenAt)}
        ${revoked ? html`<small class="block">token revoked</small>` : null}`;
  }
}

function busyMachine(runner: RunnerStatus): Html | null {
  const busy = runner.state === "gone" ? null : formatBusyMachine(runner);
  return busy === null ? null : html`<small class="block care" title="Its runs may be noisy">${busy}</small>`;
}

function waitingTable(waiting: readonly WaitingRun[]): Html {
  return html`<section aria-labelledby="waiting">
    <h2 id="waiting">Queued runs</h2>
    ${
      waiting.length === 0
        ? html`<p class="empty">The queue is empty.</p>`
        : table({
            caption: html`First ${waiting.length} queued runs by target, in the order in which runners claim them
            (visible only to administrators).`,
            columns: ["Position", "Account", "Problem"],
            rows: waiting.map(
              (run) =>
                html`<tr>
                  <td class="number">${run.position} <span class="target">${run.target}</span></td>
                  <td>${personLink(run.account)}</td>
                  <td>
                    <a href="/submissions/${run.submissionId}">${run.board}</a> ${run.mode}
                    <small class="block">queued ${moment(run.waitsSince)}</small>
                    ${run.rerun > 0 ? html`<small class="block">re-run with fresh seeds</small>` : null}
                    ${run.attempt > 0 ? html`<small class="block care">after ${count(run.attempt, "attempt", "attempts")}</small>` : null}
                  </td>
                </tr>`,
            ),
          })
    }
  </section>`;
}
