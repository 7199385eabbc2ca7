/** The viewer's submissions to a problem: their results, links to edit them again, and a comparison of two. */
import { formatRankingValue, type RunSummary, type Submission } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment, runStatus } from "../layout/format.ts";

export function history(problem: string, submissions: readonly Submission[]): Html {
  return html`<h2 id="history-title">Your submissions</h2>
    ${
      submissions.length === 0
        ? html`<p class="empty">
            No submissions to this problem yet. They are listed here with their results and sources.
          </p>`
        : html`<form action="/compare" class="earlier-submissions">
            <table>
              <thead>
                <tr>
                  <th scope="col">Submission</th>
                  <th scope="col">Result</th>
                  <th scope="col" class="side">Compare</th>
                </tr>
              </thead>
              <tbody>
                ${submissions.map((submission, index) => row(problem, submission, index))}
              </tbody>
            </table>
            ${submissions.length < 2 ? null : html`<button class="quiet">Compare two</button>`}
          </form>`
    }`;
}

function row(problem: string, submission: Submission, index: number): Html {
  const { id, mode, fileName, createdAt, runs } = submission;
  return html`<tr>
    <th scope="row">
      <div class="row">
        <span><a href="/submissions/${id}">${id}</a> ${mode}</span>
        <small>${fileName}, ${moment(createdAt)}</small>
        <a class="restore" href="/problems/${problem}/submit?from=${id}" data-restore="${id}" data-file="${fileName}"
          >Edit again</a
        >
      </div>
    </th>
    <td>${runs.map(result)}</td>
    <td class="side">
      <input
        type="checkbox"
        name="with"
        value="${id}"
        aria-label="Compare submission ${id}"
        ${index < 2 ? "checked" : null}
      />
    </td>
  </tr>`;
}

function result(run: RunSummary): Html {
  const { tone, label } = runStatus(run);
  return html`<div>
    <span class="target">${run.target}</span> <span class="${tone}">${label}</span>
    ${run.score === null ? null : html`<span class="number nowrap">${formatRankingValue(run.score)}</span>`}
  </div>`;
}
