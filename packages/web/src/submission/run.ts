/** Section of a run, finished or not: status, stages, cases, output, files and machine. */
import { formatDuel, type DuelResult, type RunDetail, type StageResult, type Submission } from "@kernelbot/core";
import { cases } from "../results/cases.ts";
import { html, type Html } from "../html.ts";
import { relationTable } from "../comparison/case-table.ts";
import { samples } from "../results/samples.ts";
import { runnerNotice } from "../queue/runner-notice.ts";
import { marks, result, speedup } from "../results/timing.ts";
import { runStatus } from "../layout/format.ts";
import { advice } from "./next-step.ts";
import type { SubmissionPage } from "./page-data.ts";
import { files } from "./files.ts";
import { rankLine, runName } from "./header.ts";
import { inUse } from "./in-use.ts";
import { machine } from "./machine.ts";
import { outputSection } from "./output.ts";
import { review } from "./review-findings.ts";
import { timeline } from "./timeline.ts";

export function runSection(run: RunDetail, shown: SubmissionPage): Html {
  const { submission, isWhole, isOwn, places, progress, decisions, now } = shown;
  const place = places.find(({ target }) => target === run.target);
  const output = isWhole ? outputSection(run) : null;
  // For a wrong result, cases explain more than output; for a crash, less.
  const outputLast = run.failureClass === null || run.failureClass === "wrong_result";
  return html`<section class="run" id="run-${run.id}" aria-labelledby="target-${run.id}">
    <header id="head-${run.id}">
      <h2 id="target-${run.id}"><span class="target">${runName(run)}</span></h2>
      ${outcome(run)}
    </header>
    ${runnerNotice(run.target, run.runners, now)} ${advice(run, isOwn, decisions)}
    ${submission.removed === null ? rankLine(run, place) : null}
    ${timeline(
      run,
      progress.find(({ runId }) => runId === run.id),
    )}
    ${run.duel === null ? null : duel(submission, run.duel)} ${outputLast ? null : output}
    ${stagesByWeight(run).map((stage) => stageSection(run, stage))} ${outputLast ? output : null} ${inUse(run)}
    ${isWhole ? review(run.review, run) : null} ${files(run, isWhole)} ${machine(run, shown)}
  </section>`;
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
        : html`<span class="score">${result(run.score)}</span>
            ${run.score.speedup === null ? null : html`<span>${speedup(run.score.speedup)} as fast as the reference</span>`}`
    }
    ${marks(run)}
  </p>`;
}

/** Returns the stages with cases: failed ones first, then timed ones, then the rest. */
function stagesByWeight({ stages }: RunDetail): StageResult[] {
  const weight = ({ passed, cases }: StageResult): number =>
    passed === false ? 0 : cases.some(({ score }) => score !== null) ? 1 : 2;
  return (
    stages
      .filter((stage) => stage.cases.length > 0)
      // The timed cases of a duel have a table of their own.
      .filter((stage) => stage.stage !== "duel")
      .toSorted((a, b) => weight(a) - weight(b))
  );
}

function stageSection(run: RunDetail, stage: StageResult): Html {
  const key = `${run.id}-${stage.stage}`;
  return html`<div class="stage" id="stage-${key}">
    ${cases(stage, key)} ${run.rerun > 0 ? samples(stage, key, 0) : samples(stage, key)}
  </div>`;
}

/** Renders the winner in a sentence and by case. Failures of A are part of the run's own message. */
function duel({ fileName, rival }: Submission, result: DuelResult): Html {
  const names = { a: `A (${fileName})`, b: `B (${rival?.fileName ?? "rival"})` };
  const { b } = result.failures;
  return html`<p class="lead">${formatDuel(result, names)}.</p>
    ${b === null ? null : html`<p class="message">${b.message}</p>`}
    ${result.cases.length === 0 ? null : relationTable(result.cases)}`;
}
