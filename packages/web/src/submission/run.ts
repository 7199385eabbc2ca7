/** Details of a run, finished or not: cases, charts, output, files, machine and timeline. */
import { formatDuel, type DuelResult, type RunDetail, type StageResult, type Submission } from "@kernelbot/core";
import { cases } from "../results/cases.ts";
import { html, type Html } from "../html.ts";
import { relationTable } from "../comparison/case-table.ts";
import { samples } from "../results/samples.ts";
import type { SubmissionPage } from "./page-data.ts";
import { files } from "./files.ts";
import { runName } from "./header.ts";
import { inUse } from "./in-use.ts";
import { machine } from "./machine.ts";
import { outputSection } from "./output.ts";
import { profileSection } from "./profile.ts";
import { failedStage, isOver } from "./result.ts";
import { review } from "./review-findings.ts";
import { timeline } from "./timeline.ts";

export function runSection(run: RunDetail, shown: SubmissionPage): Html {
  const { submission, isWhole } = shown;
  const output = isWhole ? outputSection(run) : null;
  // For a wrong result, cases explain more than output; for a crash, less.
  const outputLast = run.failureClass === null || run.failureClass === "wrong_result";
  return html`<section class="run" id="run-${run.id}" aria-labelledby="details-${run.id}">
    <h2 id="details-${run.id}">Details <span class="target">${runName(run)}</span></h2>
    ${run.duel === null ? null : duel(submission, run.duel)} ${outputLast ? null : output}
    ${stagesByWeight(run).map((stage) => stageSection(run, stage))} ${outputLast ? output : null} ${inUse(run)}
    ${isWhole ? review(run.review, run) : null} ${profileSection(run, shown)} ${isWhole ? files(run) : null}
    ${machine(run, shown)} ${isOver(run) ? timeline(run) : null}
  </section>`;
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

/** Renders the cases of a stage, without the failed one that is part of the result. */
function stageSection(run: RunDetail, stage: StageResult): Html {
  const key = `${run.id}-${stage.stage}`;
  return html`<div class="stage" id="stage-${key}">
    ${cases(stage, key, stage === failedStage(run) ? 1 : 0)}
    ${run.rerun > 0 ? samples(stage, key, 0) : samples(stage, key)}
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
