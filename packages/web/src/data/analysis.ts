/**
 * Analyses of a competition's data: its boards, and for one of them participants, records, failures, techniques and near
 * duplicates.
 */
import { formatBest, formatRatio, type AnalysisKind, type AnalysisTables } from "@kernelbot/core";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { analysisPath, snapshotPath, tablePath } from "./paths.ts";
import type { AnalysisPage, DataBoard } from "./analysis-page-data.ts";
import { author } from "./author.ts";
import { clusterTable, contestantTable, failureTable, recordChart, techniqueTable } from "./board-tables.ts";
import { right, table } from "../layout/table.ts";

export function analysisPage({ visit, snapshot, tables, board, user }: AnalysisPage): Promise<string> {
  const { id, competition } = snapshot;
  const { name, title } = competition;
  return page({
    title: `${title} · Data`,
    visit,
    islands: ["chart"],
    description: `Analyses of the open data of ${title}: participants, records, failures, techniques and near duplicates.`,
    body: html`<div id="analysis">
      ${breadcrumb([
        ["Data", "/data"],
        [`Snapshot ${id}`, snapshotPath(id)],
      ])}
      <h1>${title}</h1>
      <p>
        ${competition.submissions.toLocaleString("en-US")} submissions of ${competition.users.toLocaleString("en-US")}
        authors who licensed them for publication. Unlicensed submissions are not included; the
        <a href="/competitions/${name}">leaderboards</a> of the competition show all entries.
      </p>
      ${
        tables === "none"
          ? html`<p class="empty">The analyses are being computed. Check back soon.</p>`
          : tables === "failed"
            ? html`<p class="notice bad">
                The analyses could not be computed. The <a href="${snapshotPath(id)}#files">files</a> do not depend on
                them.
              </p>`
            : analyses(id, name, tables, { board, user })
      }
    </div>`,
  });
}

function analyses(
  id: number,
  competition: string,
  tables: AnalysisTables,
  { board, user }: Pick<AnalysisPage, "board" | "user">,
): Html {
  const boards = boardsOf(tables);
  const chosen = boards.find((each) => board !== null && isOf(board)(each)) ?? boards[0];
  if (chosen === undefined) {
    return html`<p class="empty">No judged runs to analyse.</p>`;
  }
  const of = isOf(chosen);
  const links = (kind: AnalysisKind): Html => downloads(id, competition, kind);
  return html`${author(id, competition, user)} ${boardList(id, competition, tables, boards, chosen)}
    <h2 id="board">${chosen.problem} <span class="target">${chosen.target}</span></h2>
    ${contestantTable(tables.contestants.filter(of), (userId) => analysisPath(id, competition, userId), links("contestants"))}
    ${recordChart(tables.records.filter(of), links("records"))}
    ${failureTable(tables.failures.filter(of), links("failures"))}
    ${techniqueTable(tables.techniques.filter(of), links("techniques"))}
    ${clusterTable(tables.clusters.filter(of), links("clusters"))}`;
}

function isOf(board: DataBoard): (row: DataBoard) => boolean {
  return ({ problem, target }) => problem === board.problem && target === board.target;
}

/** Returns each board that has a row, sorted by name. */
export function boardsOf({ contestants, failures }: Pick<AnalysisTables, "contestants" | "failures">): DataBoard[] {
  const boards = new Map<string, DataBoard>();
  for (const { problem, target } of [...contestants, ...failures]) {
    boards.set(JSON.stringify([problem, target]), { problem, target });
  }
  return [...boards].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, board]) => board);
}

function boardList(
  id: number,
  competition: string,
  { contestants, speedups }: AnalysisTables,
  boards: readonly DataBoard[],
  chosen: DataBoard,
): Html {
  return html`<h2 id="boards">Leaderboards</h2>
    ${table({
      label: "Leaderboards",
      columns: [
        "Leaderboard",
        right("Participants"),
        right("Best result"),
        right("Best speedup"),
        right("Median speedup"),
      ],
      rows: boards.map((board) => {
        const own = contestants.filter(isOf(board));
        const speedup = speedups.find(isOf(board));
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
          <td class="right number">${own[0] === undefined ? "" : formatBest(own[0].scoreNs, own[0].rankedBy)}</td>
          <td class="right number">${speedup === undefined ? "" : formatRatio(speedup.best)}</td>
          <td class="right number">${speedup === undefined ? "" : formatRatio(speedup.median)}</td>
        </tr>`;
      }),
    })}
    ${downloads(id, competition, "speedups")}`;
}

/** Renders download links for the whole table of all boards. */
export function downloads(id: number, competition: string, kind: AnalysisKind, user?: string): Html {
  return html`<p class="downloads">
    <small
      >All leaderboards as <a href="${tablePath(id, competition, kind, "csv", user)}">CSV</a> or
      <a href="${tablePath(id, competition, kind, "json", user)}">JSON</a></small
    >
  </p>`;
}
