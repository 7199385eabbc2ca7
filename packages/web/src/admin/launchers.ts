/** What starts runners where runs wait, what it may spend, and what became of its launches. */
import type { Launch, LauncherList, LauncherTarget, LaunchState } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../visit.ts";
import { moment } from "../words.ts";
import { adminPage } from "./frame.ts";

export interface LaunchersPage extends LauncherList {
  visit: SignedVisit;
}

export function launchersPage({ visit, targets, launches }: LaunchersPage): Promise<string> {
  return adminPage({
    visit,
    title: "Launchers",
    body: html`
      <p>A launcher has a service start a runner when runs wait for a target and no runner is there.</p>
      ${
        targets.length === 0
          ? html`<p class="empty">
              This server has no launchers. <code>docs/launchers.md</code> says how to configure one for GitHub Actions,
              Kubernetes, Modal or Slurm.
            </p>`
          : targetTable(targets)
      }
      <h2 id="launches">Launches</h2>
      ${launches.length === 0 ? html`<p class="empty">Nothing was launched yet.</p>` : launchTable(launches)}
    `,
  });
}

function targetTable(targets: readonly LauncherTarget[]): Html {
  return html`<div class="scroll">
    <table>
      <caption>
        Spent is what was spent, and what runners that are there may still spend, in this day and month (UTC).
      </caption>
      <thead>
        <tr>
          <th scope="col">Launcher</th>
          <th scope="col">Runners</th>
          <th scope="col">Spent</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        ${targets.map(
          (each) =>
            html`<tr>
              <th scope="row">
                ${each.launcher} <span class="target">${each.target}</span>
                <small class="block">${each.kind}; ${money(each.ratePerHour)} an hour</small>
              </th>
              <td class="number">${each.open} of ${each.maxRunners}</td>
              <td>
                ${spent(each.spentToday, each.budgetPerDay)} today
                <small class="block">${spent(each.spentThisMonth, each.budgetPerMonth)} this month</small>
              </td>
              <td>${each.held ? html`<span class="badge care">held</span> ` : null}${each.says}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function launchTable(launches: readonly Launch[]): Html {
  return html`<div class="scroll">
    <table aria-labelledby="launches">
      <thead>
        <tr>
          <th scope="col">Launch</th>
          <th scope="col">State</th>
          <th scope="col">When</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        ${launches.map(
          (launch) =>
            html`<tr id="launch-${launch.id}">
              <th scope="row">
                ${launch.name} <span class="target">${launch.target}</span>
                <small class="block"
                  >${launch.launcher}${launch.externalId === null ? null : html`, its number there ${launch.externalId}`}</small
                >
              </th>
              <td>
                <span class="${BADGE[launch.state]}">${launch.state}</span>
                ${launch.error === null ? null : html`<small class="block">${launch.error}</small>`}
              </td>
              <td>
                ${moment(launch.createdAt)}
                <small class="block"
                  >${launch.endedAt === null ? html`claims until ${moment(launch.endsBy)}` : html`until ${moment(launch.endedAt)}`}</small
                >
              </td>
              <td class="number">${money(launch.cost)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
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
