/** Head of a board page: breadcrumb, dates, revisions, freeze notice, targets and key figures. */
import {
  canRun,
  entrantName,
  formatNs,
  formatRankingRule,
  formatRankingValue,
  formatRatio,
  formatShare,
  hasBoard,
  RANKING_NAMES,
  formatTimeLeft,
  type Board,
  type Competition,
} from "@kernelbot/core";
import { breadcrumb, problemCrumbs } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { figure } from "../layout/table.ts";
import { IMPORTED } from "../results/timing.ts";
import { runnerNotice } from "../queue/runner-notice.ts";
import { freezeNotice } from "../results/freeze.ts";
import type { Visit } from "../layout/page-context.ts";
import { capital, moment, momentInBoth } from "../layout/format.ts";
import { isImported, type BoardPage } from "./page-data.ts";
import { ALL, boardPath } from "./filter.ts";

export function head(page: BoardPage): Html {
  const { board, competition, targets, filter, now } = page;
  return html`
    ${breadcrumb(problemCrumbs(board.board, competition))}
    <h1>${board.board} <span class="target">${board.target}</span></h1>
    <p class="lead">${period(competition, board, now)}${isImported(board) ? html` ${IMPORTED}` : null}</p>
    ${scoreRule(board)} ${missingRunner(page)} ${revisionLinks(board)} ${frozen(page)}
    ${targets.length < 2 ? null : tabs(board, targets, filter)}
  `;
}

/** Renders what the board ranks by; null for boards that rank by time. */
function scoreRule({ rankingBy, ranking, weights }: Board): Html | null {
  if (ranking === "time") return null;
  return html`<p id="score-rule">
    Ranked by ${formatRankingRule(rankingBy, weights !== null, ranking)}.
    <a href="/docs/explanation/scoring#what-ranks">How it is computed</a>
  </p>`;
}

/** Renders that no runner serves the target, while the board accepts submissions; else null. */
function missingRunner({ board, competition, runners, now }: BoardPage): Html | null {
  if (canRun(runners) || phase(competition, now) === "ended" || board.revision !== board.currentRevision) return null;
  return runnerNotice(board.target, runners, now);
}

/** Renders the number of the shown revision and links to the others; null if the board has only one. */
function revisionLinks(board: BoardPage["board"]): Html | null {
  const { revision, currentRevision } = board;
  if (currentRevision === 1 && revision === 1) return null;
  const former = Array.from({ length: Math.max(revision, currentRevision) }, (_, at) => at + 1).filter(
    (one) => one !== revision,
  );
  return html`<p>
    ${
      revision === currentRevision
        ? html`<strong>Revision ${revision}.</strong> The judging of this problem has changed; earlier results are kept
            in earlier revisions:`
        : html`<strong>Revision ${revision}</strong> of this leaderboard; revision ${currentRevision} is current. Other
            revisions:`
    }
    ${former.map((one) => html` <a href="${boardPath(board, { revision: one === currentRevision ? null : one })}">revision ${one}</a>`)}
  </p>`;
}

/** Renders the period in which ranked submissions count. */
function period(competition: Competition | null, { board, target }: Board, now: Date): Html {
  if (competition === null) return html`Open for practice, without an end date.`;
  if (!hasBoard(competition, board, target)) {
    return html`This leaderboard is not part of the competition: submissions can be tested, but are not ranked.`;
  }
  const { startsAt, endsAt } = competition;
  switch (phase(competition, now)) {
    case "upcoming":
      return html`${capital(formatTimeLeft(competition, now))}: ranked submissions count from ${moment(startsAt)} until
      ${moment(endsAt)}.`;
    case "open":
      return html`<strong>${formatTimeLeft(competition, now)}</strong>, until ${moment(endsAt)}.`;
    case "ended":
      return html`<strong>Final.</strong> Ended ${moment(endsAt)}.`;
  }
}

/** Renders the freeze notice, with a link to the full board for viewers who may see it; null without a freeze. */
function frozen({ board, competition, visit }: BoardPage): Html | null {
  const { freeze, unfrozen } = board;
  if (freeze === null) return null;
  if (unfrozen) {
    return html`<p class="notice bad" id="freeze">
      This is the full leaderboard, including results that are hidden from participants until
      ${momentInBoth(freeze.until)}. <a href="${boardPath(board)}">Show as participants see it</a>
    </p>`;
  }
  return html`${freezeNotice(freeze)}
  ${
    maySeeHidden(competition, visit)
      ? html`<p>
          <a href="${boardPath(board, { unfrozen: true })}">Show the full leaderboard, including hidden results</a>
        </p>`
      : null
  }`;
}

function maySeeHidden(competition: Competition | null, { viewer }: Visit): boolean {
  if (viewer === null) return false;
  if (viewer.roles.includes("moderator") || viewer.roles.includes("administrator")) return true;
  return competition?.organisers.some(({ id }) => id === viewer.id) === true;
}

export function phase(competition: Competition | null, now: Date): "upcoming" | "open" | "ended" {
  if (competition === null) return "open";
  if (now < new Date(competition.startsAt)) return "upcoming";
  return now < new Date(competition.endsAt) ? "open" : "ended";
}

/** Renders links to the same problem on each target, with the same filter. */
function tabs(board: BoardPage["board"], targets: readonly string[], filter: BoardPage["filter"]): Html {
  return html`<nav aria-label="Targets">
    <ul class="tabs">
      ${targets.map(
        (target) =>
          html`<li>
            <a
              href="${boardPath({ board: board.board, target }, { ...filter, revision: ALL.revision, with: ALL.with, from: ALL.from })}"
              ${target === board.target ? html`aria-current="page"` : null}
              >${target}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Renders the key figures of the board; null without entries. */
export function figures({ board, whole }: BoardPage): Html | null {
  const { rows, ranking } = board;
  const [best] = rows;
  const entries = whole?.entries ?? rows.length;
  const confirmed = whole?.confirmed ?? rows.filter(({ verification }) => verification === "confirmed").length;
  if (best === undefined) return null;
  const { speedOfLightShare } = best;
  return html`<dl class="figures">
    ${figure(`Best ${ranking === "time" || ranking === "speedup" ? RANKING_NAMES[ranking].toLowerCase() : RANKING_NAMES[ranking]}, by ${entrantName(best)}`, formatRankingValue(best))}
    ${best.rankedBy === undefined ? null : figure("Runtime", formatNs(best.timeNs.value))}
    ${best.speedup === null || ranking === "speedup" ? null : figure("Speedup over the reference", formatRatio(best.speedup.value))}
    ${speedOfLightShare === null || ranking === "fraction_of_peak" ? null : figure("% of speed of light", formatShare(speedOfLightShare))}
    ${figure(entries === 1 ? "Entry" : "Entries", entries)} ${isImported(board) ? null : figure("Confirmed", confirmed)}
  </dl>`;
}
