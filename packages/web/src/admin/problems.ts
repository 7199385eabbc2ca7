/**
 * Admin page of the problems that the viewer manages: source, versions, and whether their boards accept submissions.
 */
import type { ProblemOverview } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { changeList } from "../problem/history.ts";
import { count, moment } from "../layout/format.ts";
import { pageLinks, type Span } from "../layout/pagination.ts";
import { adminPage, type Outcome } from "./frame.ts";
import { right, hiddenHeading, table } from "../layout/table.ts";

export interface ProblemsPage {
  visit: SignedVisit;
  problems: readonly ProblemOverview[];
  /** Which of all problems that the viewer manages `problems` are. */
  span: Span;
  /** Folder from which problems are imported; null if the viewer may not import them again. */
  folder: string | null;
  now: Date;
  outcome?: Outcome;
  /** Directories that could not be imported, with the reason. */
  broken?: readonly { path: string; message: string }[];
}

/** Number of hex digits shown of a version's hash. */
const HASH_SHOWN = 10;

export function adminProblemsPage(shown: ProblemsPage): Promise<string> {
  const { visit, problems, span, folder, outcome, broken = [] } = shown;
  return adminPage({
    visit,
    title: "Problems",
    ...(outcome && { outcome }),
    body: html`
      ${
        broken.length === 0
          ? null
          : html`<section class="notice bad" aria-label="Import errors">
              <p>These problems could not be imported; their previous versions stay active:</p>
              <ul>
                ${broken.map(({ path, message }) => html`<li><code>${path}</code>: ${message}</li>`)}
              </ul>
            </section>`
      }
      ${folder === null ? null : importForm(folder)}
      ${
        problems.length === 0
          ? html`<p class="empty">Your competitions have no problems.</p>`
          : table({
              className: "stacked-rows",
              columns: [
                "Problem",
                "Competition",
                "Leaderboards",
                "Version",
                right("Submissions"),
                "Ends",
                hiddenHeading("Actions"),
              ],
              rows: problems.map((problem) => row(problem, shown)),
            })
      }
      ${pageLinks("list", span, (from) => `/admin/problems?from=${from}`)}
    `,
  });
}

function importForm(folder: string): Html {
  return html`<p>Problems are imported from <code>${folder}</code> on the server.</p>
    <form method="post" action="/admin/problems/take">
      <button class="quiet">Import changes</button>
    </form>`;
}

function row(problem: ProblemOverview, { folder, now }: ProblemsPage): Html {
  const { name, set, source, competition, boards, version, versions, updatedAt, submissions, closesAt } = problem;
  return html`<tr id="problem-${name}">
    <th scope="row">
      <a href="/problems/${name}">${name}</a> <small class="block">set ${set}</small>
      ${source === null ? null : html`<small class="block">from ${source}</small>`}
    </th>
    <td>
      ${
        competition === null
          ? html`<span class="quiet">practice</span>`
          : html`<a href="/admin/competitions/${competition}">${competition}</a>`
      }
    </td>
    <td>
      ${boards.map(
        ({ target, accepts, revision }) =>
          html`<a class="target" href="/boards/${name}/${target}">${target}</a>${
              revision === 1 ? null : html` <small>revision ${revision}</small>`
            }${accepts ? null : html` <small>retired</small>`} `,
      )}
    </td>
    <td>
      <code title="${version}">${version.slice(0, HASH_SHOWN)}</code>
      <small class="block">${moment(updatedAt)}</small>
      ${
        versions.length < 2
          ? null
          : html`<details>
              <summary>${count(versions.length, "version", "versions")}</summary>
              <ul class="plain">
                ${versions.map(
                  ({ hash, createdAt, changes, source, revision, by }) =>
                    html`<li>
                      <code>${hash.slice(0, HASH_SHOWN)}</code>
                      <small>${moment(createdAt)}${origin(by, source, revision)}</small>
                      ${changeList(changes)}
                    </li>`,
                )}
              </ul>
            </details>`
      }
    </td>
    <td class="right number">${submissions.toLocaleString("en-US")}</td>
    <td>${closesAt === null ? html`<span class="quiet">never</span>` : moment(closesAt)}</td>
    <td>${acts(problem, folder !== null, now)}</td>
  </tr>`;
}

/** Formats who imported a version, and from which source and revision. */
function origin(by: string | null, source: string | null, revision: string | null): string {
  const from = source === null ? "" : `, from ${source}${revision === null ? "" : ` at ${revision.slice(0, 12)}`}`;
  return `${by === null ? "" : `, by ${by}`}${from}`;
}

function acts({ name, boards, submissions, closesAt }: ProblemOverview, mayImport: boolean, now: Date): Html {
  const isOpen = closesAt === null || Date.parse(closesAt) > now.getTime();
  const accepts = boards.some((board) => board.accepts);
  return html`<details>
    <summary>Actions<span class="visually-hidden"> for ${name}</span></summary>
    ${boards.filter((board) => board.accepts && board.revision > 1).map((board) => rerunForm(name, board))}
    ${
      isOpen
        ? html`<form method="post" action="/admin/problems/${name}/close" class="stack">
            <small>Permanent: ranked submissions are no longer accepted, and receipts include their seeds.</small>
            <div><button class="danger">Close ${name}</button></div>
          </form>`
        : null
    }
    ${
      accepts
        ? html`<form method="post" action="/admin/problems/${name}/retire" class="stack">
            <small>The leaderboards no longer accept submissions; their results are kept.</small>
            ${
              submissions === 0
                ? null
                : html`<label class="choice"
                    ><input type="checkbox" name="force" value="yes" required /> confirm: the problem has
                    ${count(submissions, "submission", "submissions")}</label
                  >`
            }
            <div><button class="danger">Retire leaderboards</button></div>
          </form>`
        : mayImport
          ? html`<form method="post" action="/admin/problems/${name}/open" class="stack">
              <small>Imports the problem from its folder on the server.</small>
              <div><button class="quiet">Reopen leaderboards</button></div>
            </form>`
          : html`<small>Only an administrator can reopen the leaderboards.</small>`
    }
  </details>`;
}

/** Renders the form that re-runs the best entries of the previous board revision for the current one. */
function rerunForm(name: string, { target, revision }: ProblemOverview["boards"][number]): Html {
  const former = revision - 1;
  return html`<form method="post" action="/admin/problems/${name}/rerun" class="stack">
    <small
      >Re-runs the best submission of each account on revision ${former} of the leaderboard for ${target} with the new
      version.</small
    >
    <input type="hidden" name="target" value="${target}" />
    <input type="hidden" name="revision" value="${former}" />
    <div><button class="quiet">Re-run revision ${former} on ${target}</button></div>
  </form>`;
}
