import {
  ENOUGH_RUNS,
  personPath,
  displayName,
  formatWait,
  type Queue,
  type QueueTarget,
  type RunnerStatus,
  type WaitingRun,
} from "@kernelbot/core";
import { bars } from "../chart/bars.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { NONE, UNSANDBOXED } from "../results/timing.ts";
import type { Visit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";

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
    description: "What waits and runs on each target, the runners that are there, and how long a run waits.",
    body: html`
      <h1>Runners and queue</h1>
      <div id="queue" data-live="/queue/updates">
        <p class="lead">${overview(queue)}</p>
        ${queue.targets.filter(isLive).map((target) => section(target, queue.at, server))}
        ${quietTargets(
          queue.targets.filter((target) => !isLive(target)),
          server,
        )}
        ${inside === null ? null : html`${runnerTable(inside.runners)} ${waitingTable(inside.waiting)}`}
      </div>
    `,
  });
}

function overview({ at, targets }: Queue): Html {
  if (targets.length === 0) return html`There are no boards here yet, and so nothing to wait for.`;
  const sum = (of: (target: QueueTarget) => number): number => targets.reduce((total, each) => total + of(each), 0);
  const served = targets.filter((target) => machines(target) > 0).length;
  return html`${
      served === 0
        ? "No runner works here"
        : html`${count(sum(machines), "runner works", "runners work")} for ${count(served, "target", "targets")}`
    };
    ${count(
      sum(({ running }) => running),
      "run is",
      "runs are",
    )}
    being judged and
    ${count(
      sum(({ waiting }) => waiting),
      "waits",
      "wait",
    )}. <small class="block">As of ${moment(at)} UTC.</small>`;
}

/** Returns whether a target has runners, queued or running runs, or runs in the last 24 hours. */
function isLive(target: QueueTarget): boolean {
  const { waiting, running, hours } = target;
  return machines(target) > 0 || waiting + running > 0 || hours.some(({ runs }) => runs > 0);
}

function machines({ runners }: QueueTarget): number {
  return runners.reduce((sum, { count }) => sum + count, 0);
}

function section(target: QueueTarget, at: string, server: string): Html {
  const { oldestAt, waiting, running, expectedWaitMs } = target;
  const here = machines(target);
  const figure = (name: string, value: Html | string): Html =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<section class="queue" id="queue-${target.target}" aria-labelledby="target-${target.target}">
    <h2 id="target-${target.target}">${target.target}</h2>
    ${here === 0 ? noRunner(target, server) : html`<p class="quiet">${models(target)}</p>`}
    <dl class="figures">
      ${figure(here === 1 ? "runner" : "runners", String(here))} ${figure("running", String(running))}
      ${figure("waiting", waiting.toLocaleString("en-US"))}
      ${oldestAt === null ? null : figure("the oldest waits", length(Date.parse(at) - Date.parse(oldestAt)))}
      ${figure("expected wait", expectedWaitMs === null ? NONE : formatWait(expectedWaitMs))}
    </dl>
    <p class="quiet told">${howTold(target, here)}</p>
    ${lastDay(target)}
  </section>`;
}

function models({ runners }: QueueTarget): string {
  return runners.map(({ model, count }) => (count === 1 ? model : `${count} × ${model}`)).join(", ");
}

function noRunner({ target, lastRunnerAt, waiting }: QueueTarget, server: string): Html {
  return html`<div class="notice care">
    <p>
      No runner works for
      ${target}${lastRunnerAt === null ? null : html`; the last was heard of on ${moment(lastRunnerAt)}`}.
      ${waiting === 0 ? "What is handed in waits until there is one." : "What waits is kept until there is one."}
    </p>
    ${howToAdd(target, server)}
  </div>`;
}

/** Renders the targets that have boards but no runners and no activity; null if there are none. */
function quietTargets(targets: readonly QueueTarget[], server: string): Html | null {
  const [first] = targets;
  if (first === undefined) return null;
  return html`<section class="queue" aria-labelledby="quiet">
    <h2 id="quiet">Without a runner</h2>
    <p>${targets.map(({ target }) => html`<span class="target">${target}</span> `)}</p>
    <p class="quiet">
      There are boards for these, and nobody works for them. What is handed in waits until somebody does.
    </p>
    ${howToAdd(targets.length === 1 ? first.target : "TARGET", server)}
  </section>`;
}

function howToAdd(target: string, server: string): Html {
  return html`<details id="add-${target}">
    <summary>How to add a runner</summary>
    <p>
      An administrator makes what the runner joins with, which prints the last of these commands; the others are run
      before it, on the machine with the hardware, in a checkout of KernelBot:
    </p>
    <pre tabindex="0" aria-label="Commands"><code>kernelbot runners add ${target}
npm run setup
npx kernelbot doctor --qualify
KERNELBOT_RUNNER_TOKEN=kb_... npx kernelbot-runner --server ${server} --target ${target}</code></pre>
    <p>More is in <code>docs/guides/add-a-runner.md</code>.</p>
  </details>`;
}

/** Explains how the expected wait is estimated, or why it is unknown. */
function howTold({ modes, expectedWaitMs }: QueueTarget, here: number): Html | string {
  const known = modes.flatMap(({ mode, medianMs, runs }) =>
    medianMs === null ? [] : [`${mode} ${length(medianMs)} (${count(runs, "run", "runs")})`],
  );
  const medians = known.length === 0 ? "" : `A run takes, by the median of the latest: ${known.join(", ")}.`;
  if (expectedWaitMs !== null) {
    return `The expected wait is that of a test by someone with nothing else here. ${medians}`.trim();
  }
  if (here === 0) return medians;
  const unknown = modes.filter(({ medianMs, waiting }) => medianMs === null && waiting > 0).map(({ mode }) => mode);
  const which = unknown.length === 0 ? "that mode" : `mode ${unknown.join(", ")}`;
  return `${medians} How long one waits is not told: of ${which} fewer than ${ENOUGH_RUNS} runs have ended in the last week.`;
}

function lastDay({ hours, target }: QueueTarget): Html {
  const runs = hours.reduce((sum, hour) => sum + hour.runs, 0);
  if (runs === 0) return html`<p class="quiet">Nothing ended here in the last 24 hours.</p>`;
  const errors = hours.reduce((sum, hour) => sum + hour.infraErrors, 0);
  const waits = hours.flatMap(({ medianWaitMs }) => (medianWaitMs === null ? [] : [medianWaitMs]));
  const ends = ["24 hours ago", "now"] as const;
  const hour = (at: string): string => `${at.slice(11, 16)} UTC`;
  return html`<div class="day" role="group" aria-label="The last 24 hours of ${target}">
    ${bars({
      title: "Runs in each hour.",
      summary: `${runs.toLocaleString("en-US")} in 24 hours, ${Math.max(...hours.map((each) => each.runs))} at most.`,
      bars: hours.map((each) => ({ value: each.runs, says: `${hour(each.at)}: ${count(each.runs, "run", "runs")}` })),
      ends,
    })}
    ${bars({
      title: "Median wait.",
      summary: spanWords(waits),
      bars: hours.map((each) => ({
        value: each.medianWaitMs,
        says: `${hour(each.at)}: ${each.medianWaitMs === null ? "no run" : length(each.medianWaitMs)}`,
      })),
      ends,
    })}
    ${bars({
      title: "Infrastructure errors.",
      summary: errors === 0 ? "None." : `${errors} of ${count(runs, "run", "runs")}.`,
      bars: hours.map((each) => ({
        value: each.infraErrors,
        says: `${hour(each.at)}: ${count(each.infraErrors, "error", "errors")}`,
      })),
      ends,
      tone: "care",
    })}
  </div>`;
}

function spanWords(waits: readonly number[]): string {
  if (waits.length === 0) return "Not known.";
  const [least, most] = [length(Math.min(...waits)), length(Math.max(...waits))];
  return least === most ? `${least}.` : `From ${least} to ${most}.`;
}

function runnerTable(runners: readonly RunnerStatus[]): Html {
  return html`<section aria-labelledby="runners">
    <h2 id="runners">Runners</h2>
    <p><a href="/admin/runners">How well they do, and how to pause one</a></p>
    ${
      runners.length === 0
        ? html`<p class="empty">No runner was heard of in the last week.</p>`
        : html`<div class="scroll">
            <table>
              <caption>
                For administrators: the runners that were heard of in the last week.
              </caption>
              <thead>
                <tr>
                  <th scope="col">Runner</th>
                  <th scope="col">Machine</th>
                  <th scope="col">Now</th>
                </tr>
              </thead>
              <tbody>
                ${runners.map(
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
                        ${doing(runner)}
                        <small class="block">here since ${moment(runner.firstSeenAt)}</small>
                      </td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

function doing({ state, standing, runs, lastSeenAt, revoked }: RunnerStatus): Html {
  switch (state) {
    case "working":
      return html`${runs.map(
        (run) =>
          html`<a href="/submissions/${run.submissionId}">${run.board}</a> ${run.mode}
            <small class="block">${run.stage ?? "starting"}, since ${moment(run.startedAt)}</small>`,
      )}`;
    case "waiting":
      return html`<span class="badge ${standing === "active" ? "good" : "care"}"
          >${standing === "active" ? "waits for work" : standing}</span
        >
        <small class="block">asked at ${moment(lastSeenAt)}</small>`;
    case "gone":
      return html`<span class="badge care">gone</span> since ${moment(lastSeenAt)}
        ${revoked ? html`<small class="block">its token has ended</small>` : null}`;
  }
}

function waitingTable(waiting: readonly WaitingRun[]): Html {
  return html`<section aria-labelledby="waiting">
    <h2 id="waiting">Waiting runs</h2>
    ${
      waiting.length === 0
        ? html`<p class="empty">Nothing waits.</p>`
        : html`<div class="scroll">
            <table>
              <caption>
                For administrators: the first ${waiting.length}, by target in the order in which they are claimed.
              </caption>
              <thead>
                <tr>
                  <th scope="col">Place</th>
                  <th scope="col">Account</th>
                  <th scope="col">Problem</th>
                </tr>
              </thead>
              <tbody>
                ${waiting.map(
                  (run) =>
                    html`<tr>
                      <td class="number">${run.position} <span class="target">${run.target}</span></td>
                      <td><a href="${personPath(run.account)}">${displayName(run.account)}</a></td>
                      <td>
                        <a href="/submissions/${run.submissionId}">${run.board}</a> ${run.mode}
                        <small class="block">since ${moment(run.waitsSince)}</small>
                        ${run.rerun > 0 ? html`<small class="block">on fresh seeds</small>` : null}
                        ${run.attempt > 0 ? html`<small class="block care">after ${count(run.attempt, "attempt", "attempts")}</small>` : null}
                      </td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

const UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Formats a waiting time in its two largest units: `under 1 s`, `2 min 5 s`, `3 d 4 h`. */
function length(ms: number): string {
  if (ms > 0 && ms < 1000) return "under 1 s";
  const seconds = Math.max(0, Math.round(ms / 1000));
  const first = UNITS.findIndex(([size]) => seconds >= size);
  if (first === -1) return "0 s";
  let left = seconds;
  return UNITS.slice(first, first + 2)
    .map(([size, unit]) => {
      const number = Math.floor(left / size);
      left -= number * size;
      return number === 0 ? "" : `${number} ${unit}`;
    })
    .filter((part) => part !== "")
    .join(" ");
}
