import { formatRelation, type ComparedSubmissions, type Comparison, type Side } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { relationTable } from "./case-table.ts";
import { comparedLines, sourceDiff } from "./source-diff.ts";
import { capital, moment } from "../layout/format.ts";
import { table } from "../layout/table.ts";

export interface ComparePage {
  compared: ComparedSubmissions;
  sources: Record<Side, string>;
  visit: Visit;
}

/** Renders two submissions side by side, for a viewer who may read both sources. */
export async function comparePage({ compared, sources, visit }: ComparePage): Promise<string> {
  const { board, target, a, b, comparison, diff } = compared;
  const names = { a: `A (${a.fileName})`, b: `B (${b.fileName})` };
  const lines = await comparedLines({
    a: { fileName: a.fileName, source: sources.a },
    b: { fileName: b.fileName, source: sources.b },
  });
  return page({
    title: `Submissions ${a.submissionId} and ${b.submissionId} · ${board}`,
    visit,
    body: html`
      <h1>Compare submissions ${a.submissionId} and ${b.submissionId}</h1>
      <p>
        On <a href="/boards/${board}/${target}">${board}</a> <span class="target">${target}</span>: ${side("A", a)};
        ${side("B", b)}.
      </p>
      <p class="lead">${formatRelation(comparison, names)}.</p>
      ${comparison.reason === null ? null : html`<p>${capital(comparison.reason)}.</p>`}
      ${comparison.cases.length === 0 ? null : relationTable(comparison.cases)} ${machines(comparison)}
      <h2>Source</h2>
      ${sourceDiff(diff, { a: "A", b: "B" }, lines)}
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
    ${table({
      columns: ["Property", "A", "B"],
      rows: machines.map(
        ({ what, a, b }) =>
          html`<tr>
            <th scope="row">${what}</th>
            <td>${a ?? "none"}</td>
            <td>${b ?? "none"}</td>
          </tr>`,
      ),
    })}`;
}
