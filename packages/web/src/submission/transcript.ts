/**
 * Transcript of the evaluation session that led to a submission: its figures, the best speedup by evaluation, and its
 * steps. Notes, code and feedback are untrusted: cleaned, escaped and shown as plain text.
 */
import {
  formatElapsed,
  formatRatio,
  formatRatioRange,
  formatStepOutcome,
  sanitize,
  summarizeTranscript,
  type EvaluationStep,
  type Transcript,
  type TranscriptStep,
} from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint } from "../chart/data.ts";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/** Maximum number of steps on the page, the last ones, and of characters of a source. The API returns all. */
const SHOWN_STEPS = 50;
const SHOWN_CHARACTERS = 8000;

/** Renders the transcript of a submission, for viewers who may read its source. */
export function transcriptSection(submissionId: number, transcript: Transcript): Html {
  const { evaluations, seconds, bestSpeedup } = summarizeTranscript(transcript);
  const { steps, stepsLeftOut, sourcesLeftOut } = transcript;
  const hidden = Math.max(0, steps.length - SHOWN_STEPS);
  const numbered = numberSteps(transcript);
  return html`<section id="transcript">
    <h2>Transcript</h2>
    <p>
      ${count(evaluations, "evaluation", "evaluations")} in
      ${formatElapsed(seconds * 1000)}${
        bestSpeedup === null ? null : html`, best speedup <strong>${formatRatio(bestSpeedup)}</strong>`
      }.
      <a href="/api/v1/submissions/${submissionId}/transcript">JSON</a>
    </p>
    <p><small>Recorded by the server; the notes are the author's own words.</small></p>
    ${leftOut(stepsLeftOut, sourcesLeftOut)} ${bestChart(numbered)}
    ${hidden === 0 ? null : html`<p>The first ${count(hidden, "step is", "steps are")} only in the JSON.</p>`}
    <ol class="transcript-steps">
      ${numbered.slice(hidden).map((each, at) => html`<li>${renderStep(each, hidden + at, transcript)}</li>`)}
    </ol>
  </section>`;
}

/** Step with the number of its evaluation, from 1; null for a note. */
interface NumberedStep {
  step: TranscriptStep;
  number: number | null;
}

function numberSteps({ steps, stepsLeftOut }: Transcript): NumberedStep[] {
  let number = stepsLeftOut;
  return steps.map((step) => ({ step, number: step.kind === "note" ? null : (number += 1) }));
}

function leftOut(steps: number, sources: number): Html | null {
  if (steps === 0 && sources === 0) return null;
  return html`<p class="notice">
    Left out, because the transcript would be too large:
    ${[
      ...(steps === 0 ? [] : [`the first ${count(steps, "evaluation", "evaluations")}`]),
      ...(sources === 0 ? [] : [`the code of ${count(sources, "source", "sources")}`]),
    ].join(", ")}.
  </p>`;
}

/** Renders the speedup of each timed evaluation, and the best one so far; null with less than two. */
function bestChart(steps: readonly NumberedStep[]): Html | null {
  const timed = steps.flatMap(({ step, number }): ChartPoint[] =>
    step.kind === "note" || step.speedup === null || number === null ? [] : [[number, step.speedup.mid]],
  );
  if (timed.length < 2) return null;
  let most = 0;
  const best = timed.flatMap(([x, y]): ChartPoint[] => (y > most ? [[x, (most = y)]] : []));
  const [first] = best;
  return chart(
    {
      title: "Best speedup by evaluation",
      summary: `From ${formatRatio(first?.[1] ?? 0)} at evaluation ${first?.[0]} to ${formatRatio(most)} at evaluation ${best.at(-1)?.[0]}.`,
      xs: "number",
      xLabel: "evaluation",
      unit: "ratio",
      series: [
        { label: "Best so far", kind: "step", tone: "one", points: best },
        { label: "Evaluation", kind: "points", tone: "quiet", points: timed },
      ],
    },
    "transcript-chart",
  );
}

function renderStep({ step, number }: NumberedStep, index: number, { sources, createdAt }: Transcript): Html {
  const after = html`<small class="nowrap">after ${formatElapsed(Date.parse(step.at) - Date.parse(createdAt))}</small>`;
  if (step.kind === "note") {
    return html`<details open id="step-${index + 1}">
      <summary>Note ${after}</summary>
      <p class="transcript-note">${sanitize(step.text)}</p>
    </details>`;
  }
  return html`<details id="step-${index + 1}">
    <summary>
      Evaluation ${number}, level ${step.level}:
      <span class="${tone(step)}">${formatStepOutcome(step)}</span>${facts(step)} ${after}
    </summary>
    ${step.feedback === null ? null : html`<pre class="output-text" tabindex="0"><code>${sanitize(step.feedback)}</code></pre>`}
    ${codeOf(step, sources[step.codeHash])}
  </details>`;
}

function facts({ passed, total, speedup, cached }: EvaluationStep): string {
  return [
    ...(total === 0 ? [] : [`${passed} of ${count(total, "case", "cases")}`]),
    ...(speedup === null ? [] : [`${formatRatio(speedup.mid)} (95 % CI ${formatRatioRange(speedup)})`]),
    ...(cached ? ["result of an earlier evaluation"] : []),
  ]
    .map((fact) => `, ${fact}`)
    .join("");
}

function tone({ outcome }: EvaluationStep): string {
  if (outcome === "passed") return "good";
  return outcome === null || outcome === "infra_error" || outcome === "noisy" || outcome === "quarantined"
    ? "care"
    : "bad";
}

function codeOf({ codeHash }: EvaluationStep, source: string | undefined): Html {
  const name = html`<code>${codeHash.slice(0, 12)}</code>`;
  if (source === undefined) return html`<p>The code ${name} is left out.</p>`;
  if (source.length > SHOWN_CHARACTERS) return html`<p>The code ${name} is long; it is in the JSON.</p>`;
  return html`<details>
    <summary>Code ${name}</summary>
    <pre class="code" tabindex="0"><code>${sanitize(source)}</code></pre>
  </details>`;
}
