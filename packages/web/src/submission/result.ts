/** Result of a run, as the first thing on the page: verdict and score, rank, why it failed and what to do next. */
import { sourceErrors, type RunDetail, type StageResult } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { runStatus } from "../layout/format.ts";
import { runnerNotice } from "../queue/runner-notice.ts";
import { firstFailure } from "../results/checked-cases.ts";
import { marks, result, speedup } from "../results/timing.ts";
import { rankLine, runName } from "./header.ts";
import { nextStep } from "./next-step.ts";
import type { SubmissionPage } from "./page-data.ts";
import { linePath } from "./source-section.ts";
import { timeline } from "./timeline.ts";

export function runResult(run: RunDetail, shown: SubmissionPage): Html {
  const { submission, places, progress, now } = shown;
  const failed = failedStage(run);
  const next = nextStep(run, shown);
  return html`<section class="run-result" aria-labelledby="target-${run.id}">
    <header id="head-${run.id}">
      <h2 id="target-${run.id}"><span class="target">${runName(run)}</span></h2>
      ${outcome(run)}
    </header>
    ${runnerNotice(run.target, run.runners, now)}
    ${run.message === null ? null : html`<p class="message">${run.message}</p>`}
    ${
      submission.removed === null
        ? rankLine(
            run,
            places.find(({ target }) => target === run.target),
          )
        : null
    }
    ${
      isOver(run)
        ? null
        : timeline(
            run,
            progress.find(({ runId }) => runId === run.id),
          )
    }
    ${errorLines(run, shown)} ${failed === undefined ? null : firstFailure(failed, run.message)}
    ${next === null ? null : html`<p class="advice" id="next-${run.id}"><strong>Next:</strong> ${next}</p>`}
  </section>`;
}

/** Returns whether a run has ended. The timeline of one that has not is part of its result. */
export function isOver({ state }: RunDetail): boolean {
  return state === "done" || state === "cancelled";
}

/** Returns the stage whose first failed case is part of the result; undefined if no case failed. */
export function failedStage({ stages }: RunDetail): StageResult | undefined {
  return stages.find(({ stage, cases }) => stage !== "duel" && cases.some(({ status }) => status === "failed"));
}

/** Renders the verdict and the score. Screen readers announce changes of the verdict and of the current stage. */
function outcome(run: RunDetail): Html {
  const { tone, label } = runStatus(run);
  const at = run.state === "running" && run.stage !== null ? `: ${run.stage}` : "";
  return html`<p class="outcome" id="outcome-${run.id}">
    <strong class="run-status ${tone}" id="status-${run.id}" role="status">${label}${at}</strong>
    ${
      run.score === null
        ? null
        : html`<span class="score">${result(run.score)}</span> ${
              run.score.speedup === null || run.score.rankedBy?.ranking === "speedup"
                ? null
                : html`<span>${speedup(run.score.speedup)} as fast as the reference</span>`
            }`
    }
    ${marks({ ...run, noisy: run.score?.noisy })}
  </p>`;
}

/**
 * Renders the lines of the source that failed, with links to them and a compiler's messages; null if unknown. The
 * detail is the owner's.
 */
function errorLines({ detail, message: shown }: RunDetail, { submission, source }: SubmissionPage): Html | null {
  if (detail === null || source === null) return null;
  const errors = sourceErrors(detail);
  if (errors.length === 0) return null;
  const lines = source.split("\n");
  return html`<ul class="plain error-lines">
    ${errors.map(
      ({ line, message }) =>
        html`<li>
          <a class="nowrap" href="${linePath(submission, source, line)}">Line ${line}</a>
          <code>${lines[line - 1]?.trim().slice(0, MAX_LINE)}</code>
          ${message === null || shown?.includes(message) ? null : html`<span class="block">${message}</span>`}
        </li>`,
    )}
  </ul>`;
}

/** Maximum number of characters of a line of the source in the result. */
const MAX_LINE = 200;
