/** Admin page of one runner: machine, versions, attempts, canary times and commands. */
import {
  CANARY_CASES,
  formatDrift,
  formatBytes,
  formatNs,
  type CanaryResult,
  type Machine,
  type RunnerDetail,
} from "@kernelbot/core";
import { bars } from "../chart/bars.ts";
import { html, type Html } from "../html.ts";
import { UNSANDBOXED } from "../results/timing.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { runnerStatus } from "./runners.ts";
import { fact } from "../layout/table.ts";

interface AdminRunnerPage {
  visit: SignedVisit;
  runner: RunnerDetail;
  /** Reason as typed, if the command failed. */
  reason?: string | undefined;
  outcome?: Outcome;
}

export function adminRunnerPage({ visit, runner, reason = "", outcome }: AdminRunnerPage): Promise<string> {
  return adminPage({
    visit,
    title: runner.name,
    above: [["Runners", "/admin/runners"]],
    ...(outcome && { outcome }),
    body: html`
      ${state(runner)} ${acts(runner, reason)}
      <h2 id="canary">Canary</h2>
      ${canary(runner)}
      <h2 id="machine">Machine</h2>
      ${machineFacts(runner.machine)}
    `,
  });
}

function state(runner: RunnerDetail): Html {
  const { attempts, firstSeenAt, label, tokenId, target } = runner;
  const { lastError } = attempts;
  return html`<dl class="facts">
    ${fact("Status", runnerStatus(runner))} ${fact("Target", html`<span class="target">${target}</span>`)}
    ${fact("First seen", html`${moment(firstSeenAt)}, with token ${tokenId}, ${label}`)}
    ${fact(
      "Attempts",
      html`${attempts.ended.toLocaleString("en-US")} finished:
      ${count(attempts.failed, "failed kernel", "failed kernels")}, ${attempts.infraErrors} without a
      verdict${attempts.infraErrorsInRow === 0 ? null : html`, <span class="care">including the last ${attempts.infraErrorsInRow}</span>`}`,
    )}
    ${lastError === null ? null : fact("Last error", html`${moment(lastError.at)} ${lastError.message}`)}
  </dl>`;
}

function acts({ id, adminState, adminStateBy, revoked }: RunnerDetail, reason: string): Html {
  const at = `/admin/runners/${id}`;
  const reasonField = (act: string): Html =>
    html`<label for="${act}-reason">Reason, shown here and in the runner’s log</label>
      <input id="${act}-reason" name="reason" required maxlength="1000" value="${reason}" autocomplete="off" />`;
  return html`<h2 id="acts">Commands</h2>
    ${
      adminState === "active"
        ? null
        : html`<form method="post" action="${at}/resume" class="stack">
            <p>
              ${
                adminStateBy === null
                  ? "The server paused this runner. After it is resumed, it records a new canary baseline."
                  : "The runner claims no runs until it is resumed."
              }
            </p>
            <div><button>Resume</button></div>
          </form>`
    }
    ${
      adminState === "paused"
        ? null
        : html`<details ${reason === "" ? null : html`open`}>
            <summary>Pause</summary>
            <form method="post" action="${at}/pause" class="stack">
              <p>The runner finishes its current run and claims no others until it is resumed.</p>
              ${reasonField("pause")}
              <div><button class="quiet">Pause</button></div>
            </form>
          </details>`
    }
    ${
      adminState === "draining"
        ? null
        : html`<details>
            <summary>Drain</summary>
            <form method="post" action="${at}/drain" class="stack">
              <p>
                The runner finishes its current run and exits. Until it is resumed, it exits again each time it is
                started.
              </p>
              ${reasonField("drain")}
              <div><button class="quiet">Drain</button></div>
            </form>
          </details>`
    }
    ${
      revoked
        ? null
        : html`<details>
            <summary>Revoke token</summary>
            <form method="post" action="${at}/revoke" class="stack">
              <p>
                All runners that joined with this token are disconnected at once, and their runs are requeued. This
                cannot be undone.
              </p>
              <div><button class="danger">Revoke</button></div>
            </form>
          </details>`
    }`;
}

function canary({ canary: { baselineNs, drift, bound }, canaries }: RunnerDetail): Html {
  if (canaries.length === 0) return html`<p class="empty">No canary measurements yet.</p>`;
  const limit =
    bound === null
      ? "Drift does not pause the runner."
      : `The runner is paused if the drift exceeds ±${+(100 * bound).toFixed(1)} %.`;
  const compared =
    baselineNs === null
      ? "The first measurements become the baseline."
      : drift === null
        ? "The next measurements are compared with the baseline."
        : `The latest are ${formatDrift(drift)} than the baseline.`;
  const first = canaries[0]?.at ?? "";
  return html`<p>A fixed kernel that the runner times at startup and every hour while idle. ${compared} ${limit}</p>
    <div class="day">
      ${CANARY_CASES.map((name, index) => {
        const base = baselineNs?.[index];
        return bars({
          title: `${name === "memory" ? "Memory" : "Arithmetic"}.`,
          summary: base === undefined ? "No baseline." : `Baseline: ${formatNs(base)}.`,
          bars: canaries.map((each) => ({ value: each.timesNs?.[index] ?? null, tooltip: canaryTooltip(each, index) })),
          ends: [first.slice(0, 16).replace("T", " "), "now"],
        });
      })}
    </div>`;
}

function canaryTooltip({ at, timesNs, failure }: CanaryResult, index: number): string {
  const ns = timesNs?.[index];
  return `${at.slice(0, 16).replace("T", " ")} UTC: ${ns === undefined ? `failed, ${failure ?? ""}` : formatNs(ns)}`;
}

function machineFacts(machine: Machine): Html {
  const { hostname, os, arch, cpu, memoryBytes, accelerators, driver, runtime, python, frameworks } = machine;
  return html`<dl class="facts">
    ${fact("Host", html`${hostname}, ${os}, ${arch}`)}
    ${fact("Processor", html`${cpu.model}, ${cpu.count} threads, ${formatBytes(memoryBytes)}`)}
    ${fact("Devices", accelerators.length === 0 ? "none" : html`${accelerators.map(device)}`)}
    ${fact("Driver", [driver, runtime].filter((part) => part !== null).join(", ") || "none")}
    ${fact("Versions", html`Python ${python}${Object.entries(frameworks).map(([name, version]) => `, ${name} ${version}`)}`)}
    ${fact("Tester", html`${machine.testerVersion} ${machine.sandbox === "none" ? UNSANDBOXED : `in ${machine.sandbox}`}`)}
  </dl>`;
}

function device({ model, memoryBytes, architecture }: Machine["accelerators"][number]): Html {
  return html`<span class="block"
    >${model}, ${formatBytes(memoryBytes)}${architecture === null ? "" : `, ${architecture}`}</span
  >`;
}
