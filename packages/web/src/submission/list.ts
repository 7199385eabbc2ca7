/** Page of the viewer's own submissions, newest first, filtered by problem, target, mode and result. */
import {
  formatRatio,
  isFinished,
  MODES,
  OUTCOMES,
  VERDICT_LABELS,
  type Mode,
  type Outcome,
  type RunSummary,
  type Submission,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { marks, result } from "../results/timing.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { moment, runStatus } from "../layout/format.ts";
import { option } from "../layout/forms.ts";

/** Filter of the list; undefined fields match everything. */
export interface Choice {
  problem?: string | undefined;
  target?: string | undefined;
  mode?: Mode | undefined;
  verdict?: Outcome | undefined;
}

interface SubmissionsPage {
  visit: SignedVisit;
  submissions: readonly Submission[];
  choice: Choice;
  /** Values to filter by: all problems and targets of the viewer's submissions. */
  problems: readonly string[];
  targets: readonly string[];
  /** Submission ID before which the next page starts; null on the last page. */
  next: number | null;
}

export function submissionsPage({
  visit,
  submissions,
  choice,
  problems,
  targets,
  next,
}: SubmissionsPage): Promise<string> {
  const isChosen = Object.values(choice).some((value) => value !== undefined);
  return page({
    title: "Submissions",
    visit,
    body: html`
      <h1>Your submissions</h1>
      ${problems.length === 0 ? null : filters(choice, problems, targets, isChosen)}
      ${submissions.length === 0 ? empty(problems.length === 0) : table(submissions)}
      ${next === null ? null : html`<p><a href="${address(choice, next)}" rel="next">Older submissions</a></p>`}
    `,
  });
}

function filters(choice: Choice, problems: readonly string[], targets: readonly string[], isChosen: boolean): Html {
  return html`<form method="get" action="/submissions" class="filters">
    ${select("problem", "Problem", problems, choice.problem)} ${select("target", "Target", targets, choice.target)}
    ${select("mode", "Mode", MODES, choice.mode)} ${select("verdict", "Status", OUTCOMES, choice.verdict, outcomeLabel)}
    <button class="quiet">Filter</button>
    ${isChosen ? html`<a href="/submissions">Clear filter</a>` : null}
  </form>`;
}

function outcomeLabel(outcome: Outcome): string {
  if (outcome === "open") return "queued or running";
  return outcome === "cancelled" ? outcome : VERDICT_LABELS[outcome];
}

function select<Option extends string>(
  name: string,
  label: string,
  options: readonly Option[],
  chosen: Option | undefined,
  labelOf: (option: Option) => string = (option) => option,
): Html {
  // A link may filter by a value that no submission has.
  const all = chosen === undefined || options.includes(chosen) ? options : [...options, chosen];
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">Any</option>
      ${all.map((each) => option(each, chosen, labelOf(each)))}
    </select>
  </label>`;
}

function empty(hasNone: boolean): Html {
  if (!hasNone) return html`<p>No submissions match this filter. <a href="/submissions">Show all</a></p>`;
  return html`<p class="lead">You have no submissions yet.</p>
    <p>
      <a href="/">Choose a leaderboard</a> and write a kernel in the browser, or submit a file from a terminal:
      <code>kernelbot submit FILE</code>.
    </p>`;
}

function table(submissions: readonly Submission[]): Html {
  return html`<div class="scroll">
    <table class="history">
      <thead>
        <tr>
          <th scope="col">Submission</th>
          <th scope="col" class="wide-only">Problem</th>
          <th scope="col">Status</th>
          <th scope="col" class="right time">Runtime</th>
          <th scope="col" class="right wide-only">Submitted</th>
        </tr>
      </thead>
      ${submissions.map(rows)}
    </table>
  </div>`;
}

/**
 * Renders a submission with a row for each run. On narrow screens, the first column contains the values of hidden
 * columns.
 */
function rows(submission: Submission): Html {
  const { id, fileName, board, mode, createdAt, removed, runs } = submission;
  const [first, ...more] = runs;
  const rowspan = runs.length;
  return html`<tbody class="${isFinished(submission) ? "" : "open"}">
    <tr>
      <th scope="rowgroup" rowspan="${rowspan}">
        <a href="/submissions/${id}"><span class="number">${id}</span> ${fileName}</a>
        ${removed === null ? null : html`<small class="block care">removed</small>`}
        <small class="narrow-only">${board}, ${mode}, ${moment(createdAt)}</small>
      </th>
      <td rowspan="${rowspan}" class="wide-only">${board} <small class="block">${mode}</small></td>
      ${first === undefined ? html`<td colspan="2"></td>` : cells(first)}
      <td rowspan="${rowspan}" class="right wide-only">${moment(createdAt)}</td>
    </tr>
    ${more.map(
      (run) =>
        html`<tr>
          ${cells(run)}
        </tr>`,
    )}
  </tbody>`;
}

function cells(run: RunSummary): Html {
  const { tone, label } = runStatus(run);
  const { score } = run;
  return html`<td>
      <span class="target">${run.target}</span> ${
        run.carriedTo !== undefined
          ? html`<small>revision ${run.carriedTo}</small>`
          : run.rerun > 0
            ? html`<small>re-run ${run.rerun}</small>`
            : null
      } <span class="${tone}">${label}</span> ${marks({ ...run, noisy: run.score?.noisy })}
    </td>
    <td class="right time">
      ${score === null ? null : result(score)}
      ${score?.speedup == null ? null : html`<small class="block number">${formatRatio(score.speedup.value)}</small>`}
    </td>`;
}

/** Returns the path of the page before a submission ID, with the same filter. */
function address(choice: Choice, before: number): string {
  const chosen = Object.entries(choice).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return `/submissions?${new URLSearchParams([...chosen, ["before", String(before)]]).toString()}`;
}
