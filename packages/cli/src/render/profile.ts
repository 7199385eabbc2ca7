/** The profile of a submission: the operations of its traces, its timelines in short, and the texts of device profilers. */
import {
  formatCount,
  formatNs,
  formatShare,
  profiledCase,
  profilerOf,
  type Profile,
  type ProfileSummary,
  type ProfileTrace,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { table, type Column } from "./table.ts";

export function profileLines({ traces, reports, omitted }: Profile, id: string, width: number, style: Style): string[] {
  const save = `kernelbot show ${id} --out DIR saves the files`;
  if (traces.length + reports.length === 0)
    return [
      `Submission ${id} has no trace or report: it is not in mode profile, has not ended, or its files were deleted.`,
    ];
  return [
    ...traces.flatMap((trace) => [...traceLines(trace, width, style), ""]),
    ...reports.flatMap(({ name, target, text }) => [
      style.bold(`${profilerOf(name)}: ${profiledCase(name)} on ${target}`),
      ...text.trimEnd().split("\n"),
      "",
    ]),
    omitted === 0 ? `${save}.` : `${formatCount(omitted, "more file")}; ${save}.`,
  ];
}

function traceLines({ name, target, summary, problem }: ProfileTrace, width: number, style: Style): string[] {
  const title = style.bold(`Profile of ${profiledCase(name)} on ${target}`);
  if (summary === null) return [title, `The trace cannot be read: ${problem ?? ""}`];
  return [
    title,
    ...operationLines(summary, width, style),
    `Timeline, ${formatNs(1000 * summary.timeline.durationUs)}:`,
    ...summary.timeline.rows.map(
      (row) => `  ${row.label}: ${formatShare(Math.min(1, row.busyUs / (summary.timeline.durationUs || 1)))} busy`,
    ),
    ...(summary.timeline.moreRows === 0 ? [] : [`  and ${formatCount(summary.timeline.moreRows, "more row")}`]),
  ];
}

function operationLines(
  { processor, operations, moreOperations }: ProfileSummary,
  width: number,
  style: Style,
): string[] {
  const hasSelf = operations.some(({ selfUs }) => selfUs !== null);
  const right = (title: string): Column => ({ title, side: "right" });
  const columns: Column[] = [
    ...[right("share"), ...(hasSelf ? [right("self")] : []), right("total"), right("mean"), right("calls")],
    { title: processor === "device" ? "kernel" : "operation", shrinks: true },
  ];
  const rows = operations.map(({ name, calls, totalUs, selfUs, share }) => [
    formatShare(share),
    ...(hasSelf ? [selfUs === null ? "" : formatNs(1000 * selfUs)] : []),
    ...[formatNs(1000 * totalUs), formatNs((1000 * totalUs) / calls), calls.toLocaleString("en-US"), name],
  ]);
  const more = moreOperations === 0 ? [] : [`and ${moreOperations.toLocaleString("en-US")} more`];
  return [...table(columns, rows, width, style), ...more];
}
