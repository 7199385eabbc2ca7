/** Admin page of the launchers: their budgets, runners and launches. */
import type { Launch, LauncherList, LauncherTarget, LaunchState } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment } from "../layout/format.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { table } from "../layout/table.ts";

interface LaunchersPage extends LauncherList {
  visit: SignedVisit;
  outcome?: Outcome;
}

export function launchersPage({ visit, targets, launches, outcome }: LaunchersPage): Promise<string> {
  return adminPage({
    visit,
    title: "Launchers",
    ...(outcome && { outcome }),
    body: html`
      <p>A launcher asks a service to start a runner when runs are queued for a target and no runner is online.</p>
      ${
        targets.length === 0
          ? html`<p class="empty">
              No launchers are configured. See
              <a href="/docs/guides/start-runners-on-demand">Start runners on demand</a> for GitHub Actions, Kubernetes,
              Modal and Slurm.
            </p>`
          : targetTable(targets)
      }
      <h2 id="launches">Launches</h2>
      ${launches.length === 0 ? html`<p class="empty">No launches yet.</p>` : launchTable(launches)}
    `,
  });
}

function targetTable(targets: readonly LauncherTarget[]): Html {
  return table({
    className: "stacked-rows",
    caption:
      "Spent: the cost so far plus the maximum remaining cost of active runners, for the current day and month (UTC).",
    columns: ["Launcher", "Runners", "Spent", "Status"],
    rows: targets.map(
      (each) =>
        html`<tr>
          <th scope="row">
            ${each.launcher} <span class="target">${each.target}</span>
            <small class="block">${each.kind}; ${money(each.ratePerHour)} per hour</small>
          </th>
          <td class="number">${each.open} of ${each.maxRunners} runners</td>
          <td>
            ${spent(each.spentToday, each.budgetPerDay)} today
            <small class="block">${spent(each.spentThisMonth, each.budgetPerMonth)} this month</small>
          </td>
          <td>${each.onHold ? html`<span class="badge care">on hold</span> ` : null}${each.explanation}</td>
        </tr>`,
    ),
  });
}

function launchTable(launches: readonly Launch[]): Html {
  return table({
    className: "stacked-rows",
    labelledBy: "launches",
    columns: ["Launch", "State", "Time and cost"],
    rows: launches.map(
      (launch) =>
        html`<tr id="${launch.name}">
          <th scope="row">
            ${launch.name} <span class="target">${launch.target}</span>
            <small class="block">${launch.launcher}${externalIdText(launch)}</small>
          </th>
          <td>
            <span class="${BADGE[launch.state]}">${launch.state}</span>
            ${launch.ending ? html`<span class="badge care">ending</span>` : null}
            ${launch.error === null ? null : html`<small class="block">${launch.error}</small>`}
            ${launch.retryAt === null ? null : html`<small class="block">next attempt ${moment(launch.retryAt)}</small>`}
            ${launch.endedAt !== null || launch.ending ? null : endForm(launch)}
          </td>
          <td>
            ${moment(launch.createdAt)}
            <small class="block"
              >${launch.endedAt === null ? html`claims runs until ${moment(launch.endsBy)}` : html`until ${moment(launch.endedAt)}`}</small
            >
            <small class="block">cost ${money(launch.cost)}</small>
          </td>
        </tr>`,
    ),
  });
}

/** Returns the ID that the service assigned to a launch, if it differs from the launch's name. */
function externalIdText({ name, externalId }: Launch): string {
  return externalId === null || externalId === name ? "" : `, external ID ${externalId}`;
}

function endForm({ name }: Launch): Html {
  return html`<details>
    <summary>End launch</summary>
    <form method="post" action="/admin/launches/${name}/end" class="stack">
      <p>
        The service stops the runner, and the current run is requeued. Another runner is launched if runs are queued.
      </p>
      <div><button class="danger">End this launch</button></div>
    </form>
  </details>`;
}

const BADGE: Record<LaunchState, string> = {
  starting: "badge",
  launched: "badge",
  joined: "badge good",
  ended: "badge",
  failed: "badge care",
};

function spent(amount: number, budget: number | null): string {
  return budget === null ? money(amount) : `${money(amount)} of ${money(budget)}`;
}

function money(amount: number): string {
  return amount.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
