/** Analyses of a competition's data: its boards, and the records and techniques of one of them. */
import { formatNs, type AnalysisKind, type AnalysisTables, type BoardRecord } from "@kernelbot/core";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { analysisPath, snapshotPath, tablePath } from "./paths.ts";
import type { AnalysisPage, DataBoard } from "./analysis-page-data.ts";
import { recordChart, techniqueTable } from "./board-tables.ts";
import { right, table } from "../layout/table.ts";

export function analysisPage({ visit, snapshot, tables, board }: AnalysisPage): Promise<string> {
  const { id, competition } = snapshot;
  const { name, title } = competition;
  return page({
    title: `${title} · Data`,
    visit,
    islands: ["chart"],
    description: `Records over time and techniques in the open data of ${title}.`,
    body: html`<div id="analysis">
      ${breadcrumb([
        ["Data", "/data"],
        [`Snapshot ${id}`, snapshotPath(id)],
      ])}
      <h1>${title}</h1>
      <p>
        ${competition.submissions.toLocaleString("en-US")} submissions of ${competition.users.toLocaleString("en-US")}
        authors who licensed them for publication. Unlicensed submissions are not included; the
        <a href="/competitions/${name}">leaderboards</a> of the competition show all entries. For more than these
        charts, <a href="/docs/guides/analyse-a-dataset">analyse the files</a> by SQL or Python.
      </p>
      ${
        tables === "none"
          ? html`<p class="empty">The analyses are being computed. Check back soon.</p>`
          : tables === "failed"
            ? html`<p class="notice bad">
                The analyses could not be computed. The <a href="${snapshotPath(id)}#files">files</a> do not depend on
                them.
              </p>`
            : analyses(id, name, tables, board)
      }
    </div>`,
  });
}

function analyses(id: number, competition: string, tables: AnalysisTables, board: DataBoard | null): Html {
  const boards = boardsOf(tables.records);
  const chosen = boards.find((each) => board !== null && isOf(board)(each)) ?? boards[0];
  if (chosen === undefined) {
    return html`<p class="empty">No passed runs to analyse.</p>`;
  }
  const of = isOf(chosen);
  const links = (kind: AnalysisKind): Html => downloads(id, competition, kind);
  return html`${boardList(id, competition, tables.records, boards, chosen)}
    <h2 id="board">${chosen.problem} <span class="target">${chosen.target}</span></h2>
    ${recordChart(tables.records.filter(of), links("records"))}
    ${techniqueTable(tables.techniques.filter(of), links("techniques"))}`;
}

function isOf(board: DataBoard): (row: DataBoard) => boolean {
  return ({ problem, target }) => problem === board.problem && target === board.target;
}

/** Returns each board that has a record, sorted by name. */
function boardsOf(records: readonly BoardRecord[]): DataBoard[] {
  const boards = Map.groupBy(records, ({ problem, target }) => JSON.stringify([problem, target]));
  return [...boards]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [record]]) => (record === undefined ? [] : [{ problem: record.problem, target: record.target }]));
}

function boardList(
  id: number,
  competition: string,
  records: readonly BoardRecord[],
  boards: readonly DataBoard[],
  chosen: DataBoard,
): Html {
  return html`<h2 id="boards">Leaderboards</h2>
    ${table({
      label: "Leaderboards",
      columns: ["Leaderboard", right("Records"), right("Fastest"), "Author"],
      rows: boards.map((board) => {
        const own = records.filter(isOf(board));
        const last = own.at(-1);
        const query = new URLSearchParams({ problem: board.problem, target: board.target });
        return html`<tr>
          <th scope="row">
            <a
              href="${analysisPath(id, competition)}?${query.toString()}#board"
              ${board === chosen ? html`aria-current="true"` : null}
              >${board.problem} <span class="target">${board.target}</span></a
            >
          </th>
          <td class="right number">${own.length.toLocaleString("en-US")}</td>
          <td class="right number">${last === undefined ? "" : formatNs(last.scoreNs)}</td>
          <td>${last?.userName}</td>
        </tr>`;
      }),
    })}`;
}

/** Renders download links for the whole table of all boards. */
function downloads(id: number, competition: string, kind: AnalysisKind): Html {
  return html`<p class="downloads">
    <small
      >All leaderboards as <a href="${tablePath(id, competition, kind, "csv")}">CSV</a> or
      <a href="${tablePath(id, competition, kind, "json")}">JSON</a></small
    >
  </p>`;
}
