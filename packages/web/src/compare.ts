import {
  hunkHeader,
  relationSentence,
  type ComparedSubmissions,
  type Comparison,
  type DiffLine,
  type SourceDiff,
} from "@kernelbot/core";
import { html, type Html } from "./html.ts";
import { page, type Viewer } from "./layout.ts";
import { relationTable } from "./relation-table.ts";
import { moment } from "./words.ts";

/** Two submissions side by side, for one who may see both sources. */
export function comparePage(
  { board, target, a, b, comparison, diff }: ComparedSubmissions,
  viewer: Viewer | null,
): Promise<string> {
  const names = { a: `A (${a.fileName})`, b: `B (${b.fileName})` };
  return page({
    title: `${a.submissionId} and ${b.submissionId} compared · ${board}`,
    viewer,
    body: html`
      <h1>Submission ${a.submissionId} beside ${b.submissionId}</h1>
      <p>
        On <a href="/boards/${board}/${target}">${board}</a> <span class="target">${target}</span>: ${side("A", a)};
        ${side("B", b)}.
      </p>
      <p class="lead">${relationSentence(comparison, names)}.</p>
      ${comparison.reason === null ? null : html`<p>Of this comparison: ${comparison.reason}.</p>`}
      ${comparison.cases.length === 0 ? null : relationTable(comparison.cases)} ${machines(comparison)}
      <h2>Source</h2>
      ${sourceDiff(diff)}
    `,
  });
}

function side(letter: string, { submissionId, account, fileName, mode, createdAt }: ComparedSubmissions["a"]): Html {
  return html`<strong>${letter}</strong> is <a href="/submissions/${submissionId}">${submissionId}</a>,
    <code>${fileName}</code> by <strong>${account.name}</strong>, mode ${mode}, ${moment(createdAt)}`;
}

function machines({ machines }: Comparison): Html | null {
  if (machines.length === 0) return null;
  return html`<h2>Machines</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">What differs</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          ${machines.map(
            ({ what, a, b }) =>
              html`<tr>
                <th scope="row">${what}</th>
                <td>${a ?? "none"}</td>
                <td>${b ?? "none"}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

const SIGNS: Record<DiffLine["kind"], string> = { same: " ", removed: "-", added: "+" };

function sourceDiff(diff: SourceDiff): Html {
  if (diff === null) return html`<p>The sources have too little in common to be shown line by line.</p>`;
  if (diff.length === 0) return html`<p>Both have the same source.</p>`;
  return html`<div class="scroll">
    <table class="diff">
      <thead>
        <tr>
          <th scope="col" class="right">A</th>
          <th scope="col" class="right">B</th>
          <th scope="col">From A to B</th>
        </tr>
      </thead>
      ${diff.map(
        (hunk) =>
          html`<tbody>
            <tr>
              <td colspan="3"><small>${hunkHeader(hunk)}</small></td>
            </tr>
            ${hunk.lines.map(
              ({ kind, text, a, b }) =>
                html`<tr class="${kind}">
                  <td class="right number">${a}</td>
                  <td class="right number">${b}</td>
                  <td><code>${SIGNS[kind]} ${text}</code></td>
                </tr>`,
            )}
          </tbody>`,
      )}
    </table>
  </div>`;
}
