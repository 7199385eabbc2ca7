import {
  byTarget,
  displayName,
  formatRankingWords,
  isFinished,
  submissionUpdatesPath,
  type Removal,
  type RunDetail,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { moment, runStatus } from "../layout/format.ts";
import { actions } from "./actions.ts";
import { code } from "./source-section.ts";
import type { SubmissionPage } from "./page-data.ts";
import { decisions } from "./decisions.ts";
import { head, overview } from "./header.ts";
import { runResult } from "./result.ts";
import { runSection } from "./run.ts";
import { transcriptSection } from "./transcript.ts";

/**
 * Renders a submission as far as the viewer may see it: output, traceback and files are for its owner and moderators.
 * Until the submission is finished, the island `live` updates the element with `data-live`; unchanged elements with an
 * ID remain.
 */
export async function submissionPage(data: SubmissionPage): Promise<string> {
  const { submission, runs, places, visit, problem, source, transcript } = data;
  const finished = isFinished(submission);
  const sorted = runsByTarget(runs);
  return page({
    title: `${summary(runs)} · submission ${submission.id}`,
    description: `${submission.board} by ${displayName(submission.account)}: ${[...new Set(sorted.map(({ target }) => target))].map((target) => resultOn(target, data)).join("; ")}.`,
    visit,
    islands: finished ? ["chart"] : ["chart", "live"],
    body: html`
      ${head(data)} ${problem === undefined ? null : html`<p class="notice" role="alert">${problem}</p>`}
      <div id="runs" data-live="${finished ? "no" : submissionUpdatesPath(submission)}">
        ${submission.removed === null ? null : removal(submission.removed)}
        ${submission.contentsDeletedAt === undefined ? null : deletion(submission.contentsDeletedAt)}
        <div class="submission-lead">
          <div>${overview(sorted, places)} ${sorted.map((run) => runResult(run, data))} ${actions(data)}</div>
          ${source === null ? null : await code(submission, source)}
        </div>
        ${sorted.map((run) => runSection(run, data))} ${decisions(data)}
      </div>
      ${transcript === null ? null : transcriptSection(submission.id, transcript)}
    `,
  });
}

function removal({ at, by, reason }: Removal): Html {
  return html`<div class="notice" id="removed">
    <p>
      Removed by ${by === "owner" ? "its owner" : "a moderator"}, ${moment(at)}. It is on no leaderboard and visible
      only to its owner and moderators.
    </p>
    ${reason === null ? null : html`<blockquote>${reason}</blockquote>`}
  </div>`;
}

function deletion(at: string): Html {
  return html`<p class="notice" id="contents-deleted">
    The source, the outputs and the files of this submission were deleted, ${moment(at)}. Its result remains.
  </p>`;
}

/** Formats the result on a target in short: `12.3 µs on H100, rank 2 of 14`, `failed on H100`. */
function resultOn(target: string, { runs, places }: SubmissionPage): string {
  const run = runs.findLast((each) => each.target === target && each.score !== null);
  const place = places.find((each) => each.target === target);
  const rank = place?.own == null ? "" : `, rank ${place.own.rank} of ${place.entries}`;
  if (run?.score != null) return `${formatRankingWords(place?.own ?? run.score)} on ${target}${rank}`;
  return `${summary(runs.filter((each) => each.target === target)).toLowerCase()} on ${target}`;
}

/** Returns the distinct statuses of all runs, for the title. */
function summary(runs: readonly RunDetail[]): string {
  return [...new Set(runs.map((run) => runStatus(run).label))].join(", ");
}

/** Sorts runs by target; re-runs follow the run that they repeat. */
function runsByTarget(runs: readonly RunDetail[]): RunDetail[] {
  return runs.toSorted((a, b) => byTarget(a, b) || a.id - b.id);
}
