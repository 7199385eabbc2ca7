/** What stands over a board: where it is, how long it goes on, its neighbours, and its figures. */
import { entrantName, formatNs, formatRatio, formatShare, timeLeft, type Competition } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { IMPORTED } from "../timing.ts";
import { moment } from "../words.ts";
import { ALL, boardPath } from "./filter.ts";
import type { BoardPage } from "./page.ts";

export function head({ board, competition, targets, filter, now }: BoardPage): Html {
  return html`
    <p class="path">
      ${competition === null ? "Practice" : html`<a href="/competitions/${competition.name}">${competition.title}</a>`}
      ›
      <a href="/problems/${board.board}">${board.board}</a>
    </p>
    <h1>${board.board} <span class="target">${board.target}</span></h1>
    <p class="lead">${life(competition, now)}${board.rows[0]?.imported === true ? html` ${IMPORTED}` : null}</p>
    ${targets.length < 2 ? null : tabs(board, targets, filter)}
  `;
}

/** From when until when what is submitted counts. */
function life(competition: Competition | null, now: Date): Html {
  if (competition === null) return html`Open to all, without an end.`;
  const { startsAt, endsAt } = competition;
  switch (phase(competition, now)) {
    case "upcoming":
      return html`It ${timeLeft(competition, now)}: ranked submissions count from ${moment(startsAt)} until
      ${moment(endsAt)}.`;
    case "open":
      return html`<strong>${timeLeft(competition, now)}</strong>, until ${moment(endsAt)}.`;
    case "ended":
      return html`<strong>Final.</strong> It ended ${moment(endsAt)}.`;
  }
}

export function phase(competition: Competition | null, now: Date): "upcoming" | "open" | "ended" {
  if (competition === null) return "open";
  if (now < new Date(competition.startsAt)) return "upcoming";
  return now < new Date(competition.endsAt) ? "open" : "ended";
}

/** The same problem on other targets, under the same filter. */
function tabs(board: BoardPage["board"], targets: readonly string[], filter: BoardPage["filter"]): Html {
  return html`<nav aria-label="Targets">
    <ul class="tabs">
      ${targets.map(
        (target) =>
          html`<li>
            <a
              href="${boardPath({ board: board.board, target }, { ...filter, with: ALL.with, from: ALL.from })}"
              ${target === board.target ? html`aria-current="page"` : null}
              >${target}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** The best of the board, in figures. */
export function figures({ board: { rows } }: BoardPage): Html | null {
  const [best] = rows;
  if (best === undefined) return null;
  return html`<dl class="figures">
    ${figure(`Best time, by ${entrantName(best)}`, formatNs(best.timeNs.value))}
    ${figure("Over the reference", best.speedup === null ? null : formatRatio(best.speedup.value))}
    ${figure("Of the hardware floor", best.floorShare === null ? null : formatShare(best.floorShare))}
    ${figure(rows.length === 1 ? "Entry" : "Entries", rows.length.toLocaleString("en-US"))}
    ${best.imported ? null : figure("Confirmed", rows.filter(({ standing }) => standing === "confirmed").length.toLocaleString("en-US"))}
  </dl>`;
}

function figure(words: string, value: string | null): Html | null {
  return value === null
    ? null
    : html`<div>
        <dt>${words}</dt>
        <dd>${value}</dd>
      </div>`;
}
