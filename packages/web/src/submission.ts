import {
  authorWords,
  duelSentence,
  formatBytes,
  formatNs,
  hasReceipt,
  isFinished,
  machineName,
  STAGES_OF_MODE,
  updatesOf,
  type DuelResult,
  type RunDetail,
  type Stage,
  type Submission,
} from "@kernelbot/core";
import { cases } from "./cases.ts";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./visit.ts";
import { relationTable } from "./relation-table.ts";
import { samples } from "./samples.ts";
import { marks, speedup, timing } from "./timing.ts";
import { moment, standing } from "./words.ts";

/**
 * A submission as anybody may see it: no source, no output, no traceback; those are its owner's.
 * The parts marked `data-live` are swapped by the island `live` while the submission is on its way.
 */
export function submissionPage({
  submission,
  runs,
  isSourceOpen = false,
  visit,
}: {
  submission: Submission;
  runs: readonly RunDetail[];
  /** Whether the one who looks may read its source. */
  isSourceOpen?: boolean;
  visit: Visit;
}): Promise<string> {
  const finished = isFinished(submission);
  return page({
    title: `${summary(runs)} · submission ${submission.id}`,
    visit,
    islands: finished ? [] : ["live"],
    body: html`
      <h1>Submission ${submission.id}</h1>
      <p>
        <strong>${submission.account.name}</strong> handed in <code>${submission.fileName}</code> for
        <a href="/boards/${submission.board}/${submission.runs[0]?.target ?? ""}">${submission.board}</a>, mode
        <strong>${submission.mode}</strong>${against(submission)}, ${moment(submission.createdAt)}. Author:
        ${authorWords(submission.author) ?? "not declared"}.
      </p>
      <div id="runs" data-live="${finished ? "no" : updatesOf(submission)}">
        ${runs.map((run) => runSection(submission, run))}
      </div>
      ${isSourceOpen ? html`<p><a href="/submissions/${submission.id}/source">Source</a></p>` : null}
      <p>
        <small
          >${isSourceOpen ? "What" : "The source, what"} it printed and its traceback are shown to its owner alone, by
          <code>kernelbot show ${submission.id}</code>.</small
        >
      </p>
    `,
  });
}

/** The verdicts of all runs in a few words, for the title. */
function summary(runs: readonly RunDetail[]): string {
  return [...new Set(runs.map((run) => standing(run).words))].join(", ");
}

/** B of a duel. */
function against({ rival }: Submission): Html | null {
  return rival === null ? null : html` against <code>${rival.fileName}</code>`;
}

function runSection(submission: Submission, run: RunDetail): Html {
  const { tone, words, meaning } = standing(run);
  return html`<section class="run" id="run-${run.id}" aria-label="Run on ${run.target}">
    <h2 class="standing ${tone}" id="standing-${run.id}" role="status">
      <span class="target">${run.target}</span> ${run.rerun > 0 ? `re-run ${run.rerun}: ` : null}${words} ${marks(run)}
    </h2>
    ${meaning === null ? null : html`<p>${meaning}</p>`}
    ${run.message === null ? null : html`<p class="message">${run.message}</p>`}
    ${
      run.score === null
        ? null
        : html`<p class="score">${timing(run.score.timeNs)} ${besideReference(run.score.speedup)}</p>`
    }
    ${run.duel === null ? null : duel(submission, run.duel)}
    <ol class="stages">
      ${STAGES_OF_MODE[run.mode].map((stage) => stageItem(run, stage))}
    </ol>
    ${run.stages.map((stage) =>
      // The cases of a duel that were timed stand in its own table.
      stage.cases.length === 0 || stage.stage === "duel" ? null : html`${cases(stage)} ${samples(stage)}`,
    )}
    ${files(run)} ${place(run)}
  </section>`;
}

/** Who won, in a sentence and by case. What was wrong with A stands in its run already. */
function duel({ fileName, rival }: Submission, result: DuelResult): Html {
  const names = { a: `A (${fileName})`, b: `B (${rival?.fileName ?? "rival"})` };
  const { b } = result.failures;
  return html`<p class="lead">${duelSentence(result, names)}.</p>
    ${b === null ? null : html`<p class="message">${b.message}</p>`}
    ${result.cases.length === 0 ? null : relationTable(result.cases)}`;
}

function besideReference(ratio: NonNullable<RunDetail["score"]>["speedup"]): Html | null {
  return ratio === null ? null : html`<span>${speedup(ratio)} as fast as the reference</span>`;
}

function stageItem(run: RunDetail, name: Stage): Html {
  const stage = run.stages.find((stage) => stage.stage === name);
  const { tone, words } = stageStanding(run, name, stage);
  const took = stage?.durationNs == null ? null : html` <small>${formatNs(stage.durationNs)}</small>`;
  return html`<li class="${tone}"><span class="name">${name}</span> ${words}${took}</li>`;
}

function stageStanding(run: RunDetail, name: Stage, stage: RunDetail["stages"][number] | undefined) {
  if (stage?.passed === true) return { tone: "good", words: "passed" };
  if (stage?.passed === false) return { tone: "bad", words: "failed" };
  if (run.state === "running" && run.stage === name) return { tone: "now", words: "running …" };
  return { tone: "waiting", words: run.state === "done" || run.state === "cancelled" ? "not run" : "waiting" };
}

/** What the run left, for its owner: the links lead to the API, which asks for a token. */
function files(run: RunDetail): Html | null {
  if (run.artifacts.length === 0) return null;
  return html`<p>Files, for the owner’s token; <code>kernelbot show ${run.submissionId} --out DIR</code> saves them:</p>
    <ul>
      ${run.artifacts.map(
        ({ name, sizeBytes, deletedAt }) =>
          html`<li>
            ${
              deletedAt === null
                ? html`<a href="/api/v1/runs/${run.id}/artifacts/${name}" download>${name}</a>
                    <small>${formatBytes(sizeBytes)}</small>`
                : html`${name} <small>deleted ${moment(deletedAt)}</small>`
            }
          </li>`,
      )}
    </ul>`;
}

/** Where and when it was judged. */
function place(run: RunDetail): Html | null {
  const { machine } = run;
  if (machine === null) return null;
  const frameworks = Object.entries(machine.frameworks).map(([name, version]) => `${name} ${version}`);
  const software = [machine.runtime, `Python ${machine.python}`, ...frameworks].filter((part) => part !== null);
  return html`<p class="machine">
    <small>
      Judged on ${machineName(machine)}
      (${software.join(", ")})${
        run.finishedAt === null ? "" : html`, finished ${moment(run.finishedAt)}`
      }${run.attempt > 1 ? `, at attempt ${run.attempt}` : ""}.${receipt(run)}
    </small>
  </p>`;
}

function receipt(run: RunDetail): Html | null {
  if (!hasReceipt(run)) return null;
  return html` <a href="/api/v1/runs/${run.id}/receipt" download="receipt-${run.id}.json">Signed receipt</a>`;
}
