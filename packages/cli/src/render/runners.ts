/** Runners and their join tokens as tables, and the details of one runner. */
import {
  CANARY_CASES,
  formatDrift,
  formatBusyMachine,
  formatBytes,
  formatNs,
  type CanaryStatus,
  type JoinToken,
  type RunnerDetail,
  type RunnerStatus,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { table } from "./table.ts";
import { moment } from "./format.ts";

/** Formats runners, one row each. */
export function runnerLines(runners: readonly RunnerStatus[], width: number, style: Style): string[] {
  if (runners.length === 0) return ["No runner has connected yet. To add one: kernelbot runners add TARGET"];
  const rows = runners.map((runner) => [
    String(runner.id),
    runner.target,
    runner.name,
    runner.model,
    statusText(runner, style),
    `${runner.attempts.infraErrors} of ${runner.attempts.ended}`,
    runner.canary.drift === null ? "–" : formatDrift(runner.canary.drift),
  ]);
  const columns = [
    { title: "id", side: "right" },
    { title: "target" },
    { title: "runner" },
    { title: "machine", shrinks: true },
    { title: "status" },
    { title: "errors", side: "right" },
    { title: "canary", side: "right" },
  ] as const;
  const commanded = runners.filter(({ adminState, refused }) => adminState !== "active" || refused !== null);
  const reasons = [
    ...commanded.map((runner) => `${runner.name} (${runner.id}): ${runner.refused ?? commandText(runner)}`),
    ...runners.flatMap((runner) => {
      const busy = runner.state === "gone" ? null : formatBusyMachine(runner);
      return busy === null ? [] : `${runner.name} (${runner.id}): ${busy}; its runs may be noisy`;
    }),
  ];
  return [...table(columns, rows, width, style), ...(reasons.length > 0 ? ["", ...reasons] : [])];
}

/** Formats join tokens, one row each. */
export function joinTokenLines(tokens: readonly JoinToken[], width: number, style: Style): string[] {
  if (tokens.length === 0) return ["There are no join tokens. To create one: kernelbot runners add TARGET"];
  const rows = tokens.map(({ id, label, account, targets, runners, joined, lastUsedAt, expiresAt }) => [
    String(id),
    label,
    targets.join(" "),
    runners === null ? String(joined) : `${joined} of ${runners}`,
    account.name,
    lastUsedAt === null ? "never" : moment(lastUsedAt),
    expiresAt === null ? "never" : moment(expiresAt),
  ]);
  const columns = [
    { title: "id", side: "right" },
    { title: "label", shrinks: true },
    { title: "targets" },
    { title: "joined", side: "right" },
    { title: "created by" },
    { title: "last used" },
    { title: "expires" },
  ] as const;
  return table(columns, rows, width, style);
}

/** Formats the details of a runner, one line per property. */
export function runnerDetailLines(runner: RunnerDetail, style: Style): string[] {
  const { machine, attempts, canary } = runner;
  const { lastError } = attempts;
  const devices = machine.accelerators.map(({ model, memoryBytes }) => `${model}, ${formatBytes(memoryBytes)}`);
  const facts: [string, string][] = [
    ["runner", `${runner.name} (${runner.id}), for ${runner.target}`],
    ["status", statusText(runner, style)],
    ...(runner.adminState === "active" ? [] : ([["command", commandText(runner)]] as [string, string][])),
    ...(runner.refused === null ? [] : ([["rejected", style.red(runner.refused)]] as [string, string][])),
    ["seen", `${moment(runner.firstSeenAt)} to ${moment(runner.lastSeenAt)}`],
    ["token", `${runner.tokenId}, ${runner.label}${runner.revoked ? ", revoked" : ""}`],
    ["host", `${machine.hostname}, ${machine.os}, ${machine.arch}`],
    ["processor", `${machine.cpu.model}, ${machine.cpu.count} threads, ${formatBytes(machine.memoryBytes)}`],
    ...devices.map((device): [string, string] => ["device", device]),
    ["driver", [machine.driver, machine.runtime].filter((word) => word !== null).join(", ") || "–"],
    [
      "versions",
      [`Python ${machine.python}`, ...Object.entries(machine.frameworks).map((pair) => pair.join(" "))].join(", "),
    ],
    ["tester", `${machine.testerVersion}, sandbox ${machine.sandbox}`],
    ...(runner.load === null
      ? []
      : ([["load", `${runner.load.toFixed(2)} processes for each core`]] as [string, string][])),
    ["attempts", `${attempts.ended} ended, ${attempts.failed} failed, ${attempts.infraErrors} infrastructure errors`],
    ...(lastError === null
      ? []
      : ([["last error", `${moment(lastError.at)} ${lastError.message}`]] as [string, string][])),
    ["canary", canaryWords(canary)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, words]) => `${style.dim(name.padEnd(width))}  ${words}`);
}

function canaryWords({ at, timesNs, failure, baselineNs, drift, bound }: CanaryStatus): string {
  if (at === null) return "not timed yet";
  if (timesNs === null) return `${moment(at)} failed: ${failure ?? ""}`;
  const times = timesNs.map((ns, index) => `${CANARY_CASES[index] ?? ""} ${formatNs(ns)}`).join(", ");
  const limit = bound === null ? "no limit" : `limit ${+(100 * bound).toFixed(1)} %`;
  const compared =
    baselineNs === null
      ? "no baseline yet"
      : drift === null
        ? "not compared yet"
        : `${formatDrift(drift)} than its baseline, ${limit}`;
  return `${moment(at)} ${times}; ${compared}`;
}

function commandText({ adminState, reason, adminStateBy, adminStateAt }: RunnerStatus): string {
  return `${adminState} by ${adminStateBy?.name ?? "the server"} at ${moment(adminStateAt)}: ${reason ?? ""}`;
}

function statusText(
  { state, adminState, runs, lastSeenAt, revoked, refused, sandbox }: RunnerStatus,
  style: Style,
): string {
  const mark = sandbox === "none" ? style.red(", no sandbox") : "";
  const command = adminState === "active" ? "" : style.yellow(`, ${adminState}`);
  switch (state) {
    case "working":
      return `${runs.map(({ board, mode, submissionId }) => `${board}, ${mode} (${submissionId})`).join("; ")}${command}${mark}`;
    case "waiting":
      return adminState === "active" ? `${style.green("idle")}${mark}` : `${style.yellow(adminState)}${mark}`;
    case "gone":
      if (refused !== null) return style.red("rejected");
      return style.yellow(`offline since ${moment(lastSeenAt)}${revoked ? ", token revoked" : ""}`) + command + mark;
  }
}
