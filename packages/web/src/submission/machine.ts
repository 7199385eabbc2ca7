/** Machine and versions that judged a run, and the run's receipt. */
import { formatBytes, hasReceipt, machineName, formatRegime, type Machine, type RunDetail } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SubmissionPage } from "./page-data.ts";
import { moment } from "../layout/format.ts";

export function machine(run: RunDetail, { submission, isWhole }: SubmissionPage): Html | null {
  if (run.machine === null) return null;
  return html`<details class="quiet-line" id="machine-${run.id}">
      <summary>
        Judged on ${[machineName(run.machine), formatRegime(run)].filter((word) => word !== null).join(", ")}
      </summary>
      <dl class="facts">
        ${facts(run, run.machine, isWhole).map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
    </details>
    ${submission.removed === null ? receipt(run) : null}`;
}

type Fact = readonly [name: string, value: string | Html];

function facts(run: RunDetail, machine: Machine, isWhole: boolean): Fact[] {
  const { cpu, accelerators, frameworks } = machine;
  const accelerated = accelerators[0];
  return [
    [
      "Processor",
      `${cpu.model}, ${cpu.count} threads${cpu.clockMhz === null ? "" : `, ${Math.round(cpu.clockMhz)} MHz`}`,
    ],
    ["Memory", formatBytes(machine.memoryBytes)],
    ...(accelerated === undefined
      ? []
      : [
          ["Accelerator", `${machineName(machine)}, ${formatBytes(accelerated.memoryBytes)}`] as const,
          ["Architecture", accelerated.architecture ?? "unknown"] as const,
        ]),
    ...(machine.driver === null ? [] : [["Driver", machine.driver] as const]),
    ...(machine.runtime === null ? [] : [["Runtime", machine.runtime] as const]),
    ["System", `${machine.os}, ${machine.arch}`],
    ["Python", machine.python],
    ...Object.entries(frameworks).map(([name, version]) => [name, version] as const),
    ["Sandbox", machine.sandbox === "none" ? html`<span class="care">none</span>` : machine.sandbox],
    // Host names are shown only with the whole submission, since they are internal to the operator.
    ...(isWhole ? [["Host", machine.hostname] as const] : []),
    ["Tester", machine.testerVersion],
    ["Problem version", html`<code title="${run.problemVersion}">${run.problemVersion.slice(0, 12)}</code>`],
    ...(run.startedAt === null ? [] : [["Started", moment(run.startedAt)] as const]),
    ...(run.finishedAt === null ? [] : [["Finished", moment(run.finishedAt)] as const]),
    ...(run.attempt > 1 ? [["Attempt", String(run.attempt)] as const] : []),
  ];
}

function receipt(run: RunDetail): Html | null {
  if (!hasReceipt(run)) return null;
  const file = `receipt-${run.id}.json`;
  return html`<p class="receipt">
    <a href="/api/v1/runs/${run.id}/receipt" download="${file}">Signed receipt</a>
    <small>Verify it with <code>kernelbot verify ${file}</code></small>
  </p>`;
}
