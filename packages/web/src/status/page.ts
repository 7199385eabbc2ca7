/** Page of the status of the service, for participants. */
import {
  canRun,
  type Incident,
  type ServiceStatus,
  type StatusTarget,
  type TargetStatus,
  type VerdictTime,
} from "@kernelbot/core";
import { bars } from "../chart/bars.ts";
import { html, type Html } from "../html.ts";
import { capital, count, formatDuration, moment } from "../layout/format.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { table } from "../layout/table.ts";
import { NONE } from "../results/timing.ts";

/** Renders whether submissions are accepted and judged, how quickly, and the incidents of the last 24 hours. */
export function statusPage({ status, visit }: { status: ServiceStatus; visit: Visit }): Promise<string> {
  const { at, targets, incidents } = status;
  const current = incidents.filter(({ isCurrent }) => isCurrent);
  return page({
    title: "Status",
    description: headline(status),
    visit,
    body: html`<div id="status">
      <h1>Status</h1>
      <div class="notice ${status.isWorking ? "good" : "care"}">
        <p><strong>${headline(status)}</strong></p>
        ${current.length === 0 ? null : incidentList(current)}
      </div>
      <p class="quiet">As of ${moment(at)} UTC. <a href="/api/v1/status">As JSON</a></p>
      <h2 id="targets">Targets</h2>
      ${targets.length === 0 ? html`<p class="empty">No leaderboards yet.</p>` : targetTable(status)}
      <p><a href="/queue">Runners and queue</a> has the details of each target.</p>
      ${lastDay(targets)}
      <h2 id="incidents">Incidents of the last 24 hours</h2>
      ${earlier(incidents.filter(({ isCurrent }) => !isCurrent))}
    </div>`,
  });
}

function headline({ isWorking, accepts, incidents }: ServiceStatus): string {
  if (isWorking) return "Submissions are accepted and judged.";
  if (!accepts) return "Submissions are closed.";
  if (incidents.some(({ kind, isCurrent }) => kind === "part" && isCurrent))
    return "A part of the server is not working.";
  return "Submissions are accepted, but some targets have no runner.";
}

function incidentList(incidents: readonly Incident[]): Html {
  return html`<ul>
    ${incidents.map(
      ({ target, at, what, kind }) =>
        html`<li>
          ${target === null ? capital(what) : html`<span class="target">${target}</span> ${what}`}${
            at === null ? null : html`, ${kind === "no_runner" ? "the oldest since" : "since"} ${moment(at)}`
          }
        </li>`,
    )}
  </ul>`;
}

function earlier(incidents: readonly Incident[]): Html {
  if (incidents.length === 0) return html`<p class="empty">None.</p>`;
  return html`<ul>
    ${incidents.map(
      ({ target, at, what }) =>
        html`<li>
          ${at === null ? null : html`${moment(at)} `}${target === null ? null : html`<span class="target">${target}</span> `}${what}
        </li>`,
    )}
  </ul>`;
}

const STATUSES: Record<TargetStatus, { tone: "good" | "care"; label: string }> = {
  online: { tone: "good", label: "online" },
  starting: { tone: "good", label: "starting" },
  on_demand: { tone: "good", label: "on demand" },
  paused: { tone: "care", label: "paused" },
  offline: { tone: "care", label: "no runner" },
};

function targetTable({ at, targets }: ServiceStatus): Html {
  const active = targets.filter(isActive);
  const quiet = targets.filter((target) => !isActive(target));
  return html`${
    active.length === 0
      ? null
      : table({
          className: "stacked-rows",
          columns: ["Target", "Runners", "Queue", "Median time from submission to verdict"],
          rows: active.map(
            (target) =>
              html`<tr>
                <th scope="row">
                  <a class="target" href="/queue#queue-${target.target}">${target.target}</a>
                  <span class="badge ${STATUSES[target.status].tone}">${STATUSES[target.status].label}</span>
                </th>
                <td>${runners(target)}</td>
                <td>${queue(target, at)}</td>
                <td>${verdictTimes(target)}</td>
              </tr>`,
          ),
        })
  }
  ${
    quiet.length === 0
      ? null
      : html`<p class="quiet">
          Without a runner and submissions: ${quiet.map(({ target }) => html`<span class="target">${target}</span> `)}
        </p>`
  }`;
}

/** Returns whether runs of a target can start, are queued or running, or ended in the last 24 hours. */
function isActive(target: StatusTarget): boolean {
  return canRun(target) || target.waiting + target.running + target.lastDay.runs > 0;
}

function runners({ runners, lastRunnerAt }: StatusTarget): Html | string {
  const online = runners.reduce((sum, { count }) => sum + count, 0);
  if (online > 0) return count(online, "runner", "runners");
  return lastRunnerAt === null ? "never seen" : html`last seen ${moment(lastRunnerAt)}`;
}

function queue({ waiting, running, oldestAt }: StatusTarget, at: string): Html {
  return html`${waiting.toLocaleString("en-US")} queued, ${running} running
  ${
    oldestAt === null
      ? null
      : html`<small class="block">oldest for ${formatDuration(Date.parse(at) - Date.parse(oldestAt))}</small>`
  }`;
}

function verdictTimes({ lastHour, lastDay }: StatusTarget): Html {
  const line = ({ runs, medianMs }: VerdictTime, period: string): Html | null =>
    medianMs === null
      ? null
      : html`<span class="block"
          >${formatDuration(medianMs)} <small>in the last ${period} (${count(runs, "run", "runs")})</small></span
        >`;
  return lastDay.medianMs === null ? html`${NONE}` : html`${line(lastHour, "hour")} ${line(lastDay, "24 hours")}`;
}

/** Renders the runs and the platform failures of all targets by hour; null without runs. */
function lastDay(targets: readonly StatusTarget[]): Html | null {
  const hours = (targets[0]?.hours ?? []).map(({ at }, index) => {
    const all = targets.flatMap((target) => target.hours[index] ?? []);
    const sum = (of: (hour: (typeof all)[number]) => number): number =>
      all.reduce((total, hour) => total + of(hour), 0);
    return {
      time: `${at.slice(11, 16)} UTC`,
      runs: sum(({ runs }) => runs),
      errors: sum(({ infraErrors }) => infraErrors),
    };
  });
  const runs = hours.reduce((sum, hour) => sum + hour.runs, 0);
  if (runs === 0) return null;
  const errors = hours.reduce((sum, hour) => sum + hour.errors, 0);
  const ends = ["24 hours ago", "now"] as const;
  return html`<div class="day" role="group" aria-label="Last 24 hours">
    ${bars({
      title: "Runs per hour.",
      summary: `${runs.toLocaleString("en-US")} in 24 hours.`,
      bars: hours.map((hour) => ({ value: hour.runs, tooltip: `${hour.time}: ${count(hour.runs, "run", "runs")}` })),
      ends,
    })}
    ${bars({
      title: "Platform failures.",
      summary: errors === 0 ? "None." : `${errors} of ${count(runs, "run", "runs")}.`,
      bars: hours.map((hour) => ({
        value: hour.errors,
        tooltip: `${hour.time}: ${count(hour.errors, "failure", "failures")}`,
      })),
      ends,
      tone: "care",
    })}
  </div>`;
}
