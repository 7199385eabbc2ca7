/** Timeline of a run from the queue to its verdict, with the duration of each step. */
import {
  formatNs,
  RETIMING_PAUSE_S,
  STAGES_OF_MODE,
  formatWait,
  type RunDetail,
  type Stage,
  type StageProgress,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count, moment } from "../layout/format.ts";

type Tone = "good" | "bad" | "care" | "now" | "waiting";

interface Step {
  name: string;
  tone: Tone;
  status: string | Html;
  tookNs: number | null;
}

export function timeline(run: RunDetail, progress?: StageProgress): Html {
  if (run.imported) return importedTimeline(run);
  const steps = [queued(run), ...STAGES_OF_MODE[run.mode].map((stage) => stageStep(run, stage, progress))];
  return html`<ol class="timeline" id="timeline-${run.id}">
    ${steps.map(
      ({ name, tone, status, tookNs }) =>
        html`<li class="${tone}" ${tone === "now" ? html`aria-current="step"` : null}>
          <span class="name">${name}</span>
          <span class="stage-status">${status}</span>
          ${tookNs === null ? null : html`<span class="number">${formatNs(tookNs)}</span>`}
        </li>`,
    )}
  </ol>`;
}

/** Renders the start and end of an imported run if both are known; of its stages, at most the results are. */
function importedTimeline({ startedAt, finishedAt, stages }: RunDetail): Html {
  const span =
    startedAt === null || finishedAt === null ? null : html`, from ${moment(startedAt)} until ${moment(finishedAt)}`;
  return html`<p class="quiet">
    Judged by the platform it was imported from${span}. Its
    ${stages.length === 0 ? "stages, cases and samples" : "samples"} are not available.
  </p>`;
}

function queued(run: RunDetail): Step {
  const name = "queue";
  if (run.state === "queued") return { name, tone: "now", status: queuePlace(run), tookNs: null };
  if (run.startedAt === null) return { name, tone: "waiting", status: "not started", tookNs: null };
  const waitedMs = Date.parse(run.startedAt) - Date.parse(run.createdAt);
  return { name, tone: "good", status: "waited", tookNs: Math.max(0, waitedMs) * 1e6 };
}

/** Formats position and expected wait: `next, under 1 s`, `position 4, about 3 min (2–6)`. */
function queuePlace({ queuePosition, expectedWaitMs, pausedUntil }: RunDetail): string {
  if (pausedUntil !== undefined) return `the machine was busy; timing again within ${RETIMING_PAUSE_S / 60} min`;
  if (queuePosition === null) return "waiting …";
  const place = queuePosition === 1 ? "next" : `position ${queuePosition.toLocaleString("en-US")}`;
  return expectedWaitMs === null || expectedWaitMs.high === 0
    ? `${place} …`
    : `${place}, ${formatWait(expectedWaitMs)} …`;
}

function stageStep(run: RunDetail, name: Stage, progress: StageProgress | undefined): Step {
  const result = run.stages.find((each) => each.stage === name);
  const tookNs = result?.durationNs ?? null;
  if (result?.passed === true) return { name, tone: "good", status: "passed", tookNs };
  if (result?.passed === false) return { name, tone: "bad", status: "failed", tookNs };
  if (run.state === "running" && run.stage === name) return { name, tone: "now", status: running(progress), tookNs };
  const isOver = run.state === "done" || run.state === "cancelled";
  const stopped = isOver && result !== undefined;
  return {
    name,
    tone: stopped ? "care" : "waiting",
    status: isOver ? (stopped ? "stopped" : "not run") : "waiting",
    tookNs,
  };
}

/** Formats the progress of a stage: `running …`, `running, 12 of at most 40 rounds … since 2026-03-01 14:05`. */
function running(progress: StageProgress | undefined): string | Html {
  if (progress === undefined) return "running …";
  const { rounds, cases, since } = progress;
  const done =
    rounds !== null
      ? `running, ${rounds.done} of at most ${count(rounds.total, "round", "rounds")} …`
      : cases.total > 0
        ? `running, ${cases.done} of ${count(cases.total, "case", "cases")} …`
        : "running …";
  return html`${done} <small>since ${moment(since)}</small>`;
}
