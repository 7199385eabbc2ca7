/** The queue as tables. */
import { formatWait, type Queue, type WaitingRun } from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { table } from "./table.ts";
import { elapsed, moment } from "./format.ts";

const STATUS = { on_demand: "started on demand", starting: "starting" } as const;

/** Formats the queue, one row per target. */
export function queueLines({ at, targets }: Queue, width: number, style: Style): string[] {
  if (targets.length === 0) return ["There are no leaderboards."];
  const rows = targets.map(({ target, status, runners, lastRunnerAt, waiting, running, oldestAt, expectedWaitMs }) => [
    target,
    runners.length > 0
      ? runners.map(({ model, count }) => (count === 1 ? model : `${count} × ${model}`)).join(", ")
      : status === "on_demand" || status === "starting"
        ? STATUS[status]
        : style.yellow(
            status === "paused" ? "paused" : lastRunnerAt === null ? "none" : `none since ${moment(lastRunnerAt)}`,
          ),
    String(waiting),
    String(running),
    oldestAt === null ? "" : elapsed(Date.parse(at) - Date.parse(oldestAt)),
    expectedWaitMs === null ? "–" : formatWait(expectedWaitMs),
  ]);
  const columns = [
    { title: "target" },
    { title: "runners", shrinks: true },
    { title: "queued", side: "right" },
    { title: "running", side: "right" },
    { title: "longest wait", side: "right" },
    { title: "expected wait", side: "right" },
  ] as const;
  return table(columns, rows, width, style);
}

/** Formats queued runs, one row each. */
export function waitingLines(runs: readonly WaitingRun[], width: number, style: Style): string[] {
  if (runs.length === 0) return ["The queue is empty."];
  const rows = runs.map((run) => [
    run.target,
    String(run.position),
    run.account.name,
    run.board,
    run.rerun > 0 ? `${run.mode}, re-run` : run.mode,
    moment(run.waitsSince),
    String(run.submissionId),
  ]);
  const columns = [
    { title: "target" },
    { title: "position", side: "right" },
    { title: "account", shrinks: true },
    { title: "problem" },
    { title: "mode" },
    { title: "queued since" },
    { title: "submission", side: "right" },
  ] as const;
  return table(columns, rows, width, style);
}
