import {
  DIFFICULTIES,
  entrantName,
  formatBest,
  type BoardSummary,
  type Competition,
  type Difficulty,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { UNSANDBOXED } from "../results/timing.ts";
import type { Visit } from "../layout/page-context.ts";
import { count } from "../layout/format.ts";
import { excerpt } from "./excerpt.ts";
import { option } from "../layout/forms.ts";
import { formatSpan, pageLinks, type Span } from "../layout/pagination.ts";

interface ListedProblem {
  name: string;
  description: string;
  /** Name of the competition; null for practice. */
  competition: string | null;
  /** Targets whose boards accept submissions. */
  targets: readonly string[];
  tags: readonly string[];
  difficulty: Difficulty | null;
}

interface ProblemsFilter {
  search?: string | undefined;
  competition?: string | undefined;
  tag?: string | undefined;
  difficulty?: Difficulty | undefined;
}

export interface ProblemsPage {
  problems: readonly ListedProblem[];
  boards: readonly BoardSummary[];
  /** Competitions that the viewer may filter by. */
  competitions: readonly Competition[];
  /** Tags that the viewer may filter by. */
  tags: readonly string[];
  /** Filter as contained in the URL. */
  filter: ProblemsFilter;
  /** Which of the problems that match the filter `problems` are. */
  span: Span;
  visit: Visit;
}

/** Renders a page of the list of problems, filtered by competition and search words. */
export function problemsPage({
  problems,
  boards,
  competitions,
  tags,
  filter,
  span,
  visit,
}: ProblemsPage): Promise<string> {
  const boardsOf = Map.groupBy(boards, ({ board }) => board);
  const rangeText = formatSpan(span);
  return page({
    title: "Problems",
    visit,
    body: html`
      <h1>Problems</h1>
      ${filters(competitions, tags, filter)}
      ${
        problems.length === 0
          ? emptyList(filter)
          : html`<div class="scroll" tabindex="0">
              <table class="problems stacked-rows">
                <caption>
                  ${rangeText === null ? count(span.of, "problem", "problems") : `Problems ${rangeText}`}
                </caption>
                <thead>
                  <tr>
                    <th scope="col">Problem</th>
                    <th scope="col">Leaderboards and leaders</th>
                    <th scope="col" class="right">Entries</th>
                  </tr>
                </thead>
                <tbody>
                  ${problems.map((problem) => row(problem, boardsOf.get(problem.name) ?? [], competitions))}
                </tbody>
              </table>
            </div>`
      }
      ${pageLinks("list", span, (from) => pathFrom(filter, from))}
    `,
  });
}

/** Returns the path of the page that begins with a problem, with the same filter. */
function pathFrom({ search, competition, tag, difficulty }: ProblemsFilter, from: number): string {
  const query = new URLSearchParams({
    ...(search && { search }),
    ...(competition && { competition }),
    ...(tag && { tag }),
    ...(difficulty && { difficulty }),
    from: `${from}`,
  });
  return `/problems?${query.toString()}`;
}

function filters(
  competitions: readonly Competition[],
  tags: readonly string[],
  { search, competition, tag, difficulty }: ProblemsFilter,
): Html {
  return html`<form method="get" action="/problems" class="row" role="search">
    <label for="search" class="visually-hidden">Search</label>
    <input id="search" name="search" type="search" value="${search ?? ""}" placeholder="Search" maxlength="200" />
    ${
      competitions.length === 0
        ? null
        : html`<label for="competition" class="visually-hidden">Competition</label>
            <select id="competition" name="competition">
              <option value="">All competitions and practice</option>
              ${competitions.map(({ name, title }) => option(name, competition, title))}
            </select>`
    }
    ${
      tags.length === 0
        ? null
        : html`<label for="tag" class="visually-hidden">Tag</label>
            <select id="tag" name="tag">
              <option value="">All tags</option>
              ${tags.map((each) => option(each, tag))}
            </select>`
    }
    <label for="difficulty" class="visually-hidden">Difficulty</label>
    <select id="difficulty" name="difficulty">
      <option value="">All difficulties</option>
      ${DIFFICULTIES.map((each) => option(each, difficulty))}
    </select>
    <button class="quiet">Search</button>
  </form>`;
}

function emptyList(filter: ProblemsFilter): Html {
  if (Object.values(filter).every((value) => value === undefined)) {
    return html`<p class="empty">This server has no problems yet.</p>`;
  }
  return html`<p class="empty">No problems match. <a href="/problems">See all</a></p>`;
}

function row(
  { name, description, competition, targets, tags, difficulty }: ListedProblem,
  boards: readonly BoardSummary[],
  competitions: readonly Competition[],
): Html {
  const title = competitions.find((each) => each.name === competition)?.title;
  return html`<tr>
    <th scope="row">
      <a href="/problems/${name}">${name}</a>
      <small class="block">${excerpt(description)}</small>
      ${labels(tags, difficulty)}
      ${
        competition === null
          ? null
          : html`<small class="block"><a href="/competitions/${competition}">${title ?? competition}</a></small>`
      }
    </th>
    <td>
      ${boardsWithLeader(boards).map(
        ({ target, leader, team, bestNs, bestRankedBy, unsandboxed }) =>
          html`<span class="board-leader"
            ><a class="target" href="/boards/${name}/${target}">${target}</a>
            ${leader === null ? null : entrantName({ team, account: leader })}
            ${bestNs === null ? null : html`<span class="number quiet">${formatBest(bestNs, bestRankedBy)}</span>`}
            ${unsandboxed ? UNSANDBOXED : null}</span
          > `,
      )}
      ${emptyBoards(name, boards, targets)}
    </td>
    <td class="right number">${boards.reduce((sum, { entries }) => sum + entries, 0).toLocaleString("en-US")}</td>
  </tr>`;
}

/** Renders difficulty and tags, each as a link to its list; null if the problem has neither. */
export function labels(tags: readonly string[], difficulty: Difficulty | null): Html | null {
  if (tags.length === 0 && difficulty === null) return null;
  return html`<small class="block"
    >${difficulty === null ? null : html`<a href="/problems?difficulty=${difficulty}">${difficulty}</a> `}${tags.map(
      (tag) => html`<a class="target" href="/problems?tag=${tag}">${tag}</a> `,
    )}</small
  >`;
}

function boardsWithLeader(boards: readonly BoardSummary[]): BoardSummary[] {
  return boards.filter(({ leader }) => leader !== null);
}

/** Renders the boards without an entry in compact form; null if there are none. */
function emptyBoards(name: string, boards: readonly BoardSummary[], targets: readonly string[]): Html | null {
  const empty = boards.filter(({ leader, target }) => leader === null && targets.includes(target));
  if (empty.length === 0) return null;
  return html`<span class="board-leader quiet"
    >${empty.map(({ target }) => html`<a class="target" href="/boards/${name}/${target}">${target}</a> `)} no entries
    yet</span
  >`;
}
