/** Head of a submission: account, file, mode and problem; with several runs, the result of each. */
import { formatAuthor, displayName, type SubmissionRank, type RunDetail } from "@kernelbot/core";
import { breadcrumb, problemCrumbs } from "../layout/breadcrumb.ts";
import { freezeBadge } from "../results/freeze.ts";
import { html, type Html } from "../html.ts";
import { marks, NONE, result, speedup } from "../results/timing.ts";
import { moment, momentInBoth, runStatus } from "../layout/format.ts";
import type { SubmissionPage } from "./page-data.ts";
import { figure } from "../layout/table.ts";
import { personLink } from "../profile/page.ts";

export function head({ submission, competition }: SubmissionPage): Html {
  const { id, account, shownAs, board, mode, fileName, rival, author, licence, imported, enteredBy, createdAt } =
    submission;
  return html`${breadcrumb(problemCrumbs(board, competition))}
    <h1>Submission ${id}</h1>
    <dl class="submission-facts">
      ${figure("Submitted by", html`${personLink(account)}${shownAs === undefined ? null : ` (others see ${shownAs})`}`)}
      ${figure("File", html`<code>${fileName}</code>${rival === null ? null : html` against <code>${rival.fileName}</code>`}`)}
      ${figure("Mode", mode)} ${figure("Submitted", moment(createdAt))}
      ${figure("Author", formatAuthor(author) ?? "not declared")}
      ${imported === null ? null : figure("Imported from", html`${imported.source}, submission ${imported.submission}`)}
      ${enteredBy === null ? null : figure("Entered after the deadline by", displayName(enteredBy))}
      ${licence === null ? null : figure("Licence", licence)}
    </dl>`;
}

/** Renders a row for each run; null if there are at most two, whose results are at the top anyway. */
export function overview(runs: readonly RunDetail[], places: readonly SubmissionRank[]): Html | null {
  if (runs.length <= 2) return null;
  return html`<div class="scroll" id="overview">
    <table class="overview">
      <thead>
        <tr>
          <th scope="col">Target</th>
          <th scope="col">Status</th>
          <th scope="col" class="right">Runtime</th>
          <th scope="col" class="right wide-only">Speedup</th>
          <th scope="col" class="right">Rank</th>
        </tr>
      </thead>
      <tbody>
        ${runs.map((run) => {
          const { tone, label } = runStatus(run);
          return html`<tr>
            <th scope="row"><a href="#run-${run.id}" class="target">${runName(run)}</a></th>
            <td class="${tone}">${label} ${marks({ ...run, noisy: run.score?.noisy })}</td>
            <td class="right">${run.score === null ? NONE : result(run.score)}</td>
            <td class="right wide-only">${speedup(run.score?.speedup ?? null)}</td>
            <td class="right number">
              ${isEntryOf(runs, run) ? (places.find(({ target }) => target === run.target)?.own?.rank ?? "–") : "–"}
            </td>
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

/**
 * Returns whether a run determines the submission's board entry: the last run on the target that is a first run or was
 * carried to a later board revision.
 */
function isEntryOf(runs: readonly RunDetail[], run: RunDetail): boolean {
  return run === runs.findLast((one) => one.target === run.target && isFirst(one));
}

function isFirst({ rerun, carriedTo }: Pick<RunDetail, "rerun" | "carriedTo">): boolean {
  return rerun === 0 || carriedTo !== undefined;
}

/** Formats the name of a run: `cpu`, `cpu, re-run 1`, `cpu, revision 2`. */
export function runName({ target, rerun, carriedTo }: Pick<RunDetail, "target" | "rerun" | "carriedTo">): string {
  if (carriedTo !== undefined) return `${target}, revision ${carriedTo}`;
  return rerun > 0 ? `${target}, re-run ${rerun}` : target;
}

/** Renders the rank of the entry: `Rank 2 of 14, confirmed by a re-run`; null if the run cannot have a rank. */
export function rankLine(run: RunDetail, place: SubmissionRank | undefined): Html | null {
  if (run.mode !== "ranked" || run.verdict !== "passed" || !isFirst(run) || place === undefined) return null;
  const board = html`<a href="/boards/${run.board}/${run.target}">the leaderboard</a>`;
  const { freeze } = place;
  if (freeze !== null && run.createdAt >= freeze.since) {
    return html`<p class="rank">
      ${freezeBadge(freeze)} Submitted after ${board} was frozen; listed there from ${momentInBoth(freeze.until)}. Until
      then, only the owner and the organisers can see this page.
    </p>`;
  }
  if (place.own === null)
    return html`<p class="rank">
      Not listed on ${board}, which shows only the best submission of each participant for the current problem version.
    </p>`;
  const { rank, verification } = place.own;
  return html`<p class="rank">
    <strong class="number">Rank ${rank.toLocaleString("en-US")}</strong> of
    <span class="number">${place.entries.toLocaleString("en-US")}</span> on ${board},
    ${
      run.imported
        ? "with its imported runtime"
        : verification === "confirmed"
          ? html`<span class="good">confirmed</span> by a re-run with fresh seeds; its result is ${result(place.own)}`
          : html`<span class="care">provisional</span> until a re-run with fresh seeds
              ${place.applicationGate === "required" ? "passes and its kernel is validated in use" : "confirms it"}`
    }.
  </p>`;
}
