/** Progress block that is redrawn while a submission runs. */
import { formatNs, formatWaitingTargets, STAGES_OF_MODE, formatWait, type RunMode } from "@kernelbot/core";
import type { Progress, RunProgress, StageProgress } from "../progress/progress.ts";
import { formatGivesUp, elapsed, runStatus, tick } from "./format.ts";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, pad } from "../output/text.ts";

/** Formats the head line and, for each run, its state and stages. `nowMs` is in the clock of the events. */
export function progressBlock(progress: Progress, nowMs: number, style: Style): string[] {
  return [
    headLine(progress, style),
    ...noRunnerLines(progress, new Date(nowMs)).map(style.yellow),
    ...progress.runs.flatMap((run) => runBlock(run, progress.mode, nowMs, style)),
  ];
}

/** Formats why queued runs do not start, one line for each target, and when the command gives up. */
export function noRunnerLines({ runs, givesUpAtMs }: Progress, now: Date): string[] {
  const sentences = formatWaitingTargets(runs, now);
  return givesUpAtMs === null ? sentences : [...sentences, formatGivesUp(givesUpAtMs)];
}

/** Formats what is submitted: `vectoradd, mode ranked, submission 12`. */
export function headLine(progress: Progress, style: Style): string {
  const id = progress.submissionId === null ? "on this machine" : `submission ${progress.submissionId}`;
  return `${style.bold(progress.board)}, mode ${progress.mode}, ${id}`;
}

function runBlock(run: RunProgress, mode: RunMode, nowMs: number, style: Style): string[] {
  const stages = STAGES_OF_MODE[mode].map((name) => ({
    name,
    stage: run.stages.find((stage) => stage.stage === name),
  }));
  const width = Math.max(...stages.map(({ name }) => name.length));
  const ended = run.state === "done" || run.state === "cancelled";
  return [
    `${style.bold(run.target)}  ${stateWords(run, nowMs, style)}`,
    ...stages.map(({ name, stage }) =>
      stage === undefined
        ? style.dim(`  · ${name}`)
        : `  ${stageMark(stage, ended, style)} ${pad(name, width)}  ${stageWords(stage, ended, nowMs)}`.trimEnd(),
    ),
  ];
}

/** Formats the state of a run and its runner and machine. */
export function stateWords(run: RunProgress, nowMs: number, style: Style): string {
  const where = [run.runner, run.machine].filter((part) => part !== null).map(oneLine);
  const location = where.length === 2 ? `${where[0] ?? ""} (${where[1] ?? ""})` : where.join("");
  switch (run.state) {
    case "queued": {
      const position = run.queuePosition === null ? "" : `, position ${run.queuePosition}`;
      const wait = run.expectedWaitMs === null ? "" : `, expected wait ${formatWait(run.expectedWaitMs)}`;
      const reason = run.reason === null ? "queued" : `requeued: ${oneLine(run.reason)}`;
      return `${reason}${position}, ${elapsed(nowMs - run.sinceMs)}${wait}`;
    }
    case "running":
      return location === "" ? "running" : `running on ${location}`;
    case "done":
    case "cancelled":
      return runStatus(run, style);
  }
}

function stageMark(stage: StageProgress, ended: boolean, style: Style): string {
  return stage.passed === null && !ended ? style.cyan("▸") : tick(stage.passed, style);
}

/** Formats the progress and duration of a stage. */
function stageWords(stage: StageProgress, ended: boolean, nowMs: number): string {
  const parts: string[] = [];
  if (stage.passed === null && stage.rounds !== null) {
    parts.push(`round ${stage.rounds.done} of at most ${stage.rounds.total}`);
  } else if (stage.cases > 0) {
    parts.push(`${stage.finishedCases} of ${formatCount(stage.cases, "case")}`);
  }
  if (stage.failedCases > 0) parts.push(`${stage.failedCases} failed`);
  if (stage.durationNs !== null) parts.push(formatNs(stage.durationNs));
  else if (!ended) parts.push(elapsed(nowMs - stage.startedAtMs));
  return parts.join(", ");
}
