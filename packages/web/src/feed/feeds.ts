/** The feeds of the site: records of a board, and the dates of competitions. Built from what anonymous viewers see. */
import {
  displayName,
  entrantOf,
  formatRankingWords,
  formatRatio,
  formatResult,
  type BoardHistory,
  type BoardSummary,
  type Competition,
  type HistoryPoint,
} from "@kernelbot/core";
import { atomFeed, type FeedEntry } from "./atom.ts";

/** Path of the feed of all public competitions. */
export const NEWS_FEED = "/feed.atom";

export function boardFeedPath({ board, target }: Pick<BoardHistory, "board" | "target">): string {
  return `/boards/${board}/${target}/feed.atom`;
}

export function competitionFeedPath({ name }: Pick<Competition, "name">): string {
  return `/competitions/${name}/feed.atom`;
}

const DAY_MS = 86_400_000;

/** A competition with what its feed says in addition to its dates. */
export interface CompetitionNews {
  competition: Competition;
  announcedAt: string;
  /** Its boards, of which the feed shows the first entries once it has ended. */
  boards: readonly BoardSummary[];
}

/** Renders the feed of a board's records. @param origin Public origin of the server. @param since When the board began. */
export function boardFeed(history: BoardHistory, origin: string, since: string): Promise<string> {
  const { board, target, records } = history;
  const page = `${origin}/boards/${board}/${target}`;
  return atomFeed({
    url: origin + boardFeedPath(history),
    title: `Records: ${board} on ${target}`,
    page,
    updatedAt: since,
    entries: records.map((record, at) => recordEntry(record, records[at - 1], { page, origin, board, target })),
  });
}

function recordEntry(
  record: HistoryPoint,
  previous: HistoryPoint | undefined,
  { page, origin, board, target }: { page: string; origin: string; board: string; target: string },
): FeedEntry {
  const name = displayName(entrantOf(record));
  return {
    id: `${page}#record-${record.submissionId}`,
    title: `${name}: ${formatRankingWords(record)} on ${board} (${target})`,
    page: `${origin}/submissions/${record.submissionId}`,
    updatedAt: record.submittedAt,
    summary: `New record on ${board} on ${target} by ${name}: ${formatResult(record)}.${
      previous === undefined
        ? " The first result of this leaderboard."
        : ` Before: ${formatResult(previous)}, by ${displayName(entrantOf(previous))}${
            record.rankedBy === undefined ? ` (${formatRatio(previous.timeNs.value / record.timeNs.value)})` : ""
          }.`
    }`,
    author: name,
  };
}

/** Renders the feed of one competition. */
export function competitionFeed(news: CompetitionNews, origin: string, now: Date): Promise<string> {
  const { competition, announcedAt } = news;
  return atomFeed({
    url: origin + competitionFeedPath(competition),
    title: competition.title,
    page: `${origin}/competitions/${competition.name}`,
    updatedAt: announcedAt,
    entries: competitionEntries(news, origin, now),
  });
}

/** Renders the feed of all public competitions. */
export function newsFeed(all: readonly CompetitionNews[], origin: string, now: Date): Promise<string> {
  return atomFeed({
    url: origin + NEWS_FEED,
    title: `Competitions on ${new URL(origin).host}`,
    page: `${origin}/`,
    updatedAt: new Date(0).toISOString(),
    entries: all.flatMap((news) => competitionEntries(news, origin, now)),
  });
}

/** Returns what has happened to a competition until now. */
function competitionEntries(
  { competition, announcedAt, boards }: CompetitionNews,
  origin: string,
  now: Date,
): FeedEntry[] {
  const { name, title, startsAt, endsAt, freezeAt, revealAt } = competition;
  const page = `${origin}/competitions/${name}`;
  const resultsAt = revealAt ?? endsAt;
  const dates: { what: string; at: string; title: string; summary: string }[] = [];
  if (announcedAt < startsAt) {
    const summary = `Open from ${date(startsAt)} until ${date(endsAt)}.`;
    dates.push({ what: "announced", at: announcedAt, title: `${title}: announced`, summary });
  }
  dates.push({
    what: "opened",
    at: startsAt > announcedAt ? startsAt : announcedAt,
    title: `${title}: open for submissions`,
    summary: `Submissions are accepted until ${date(endsAt)}.`,
  });
  const lastDay = new Date(Date.parse(endsAt) - DAY_MS).toISOString();
  if (lastDay > startsAt && lastDay > announcedAt) {
    const summary = `Submissions are accepted until ${date(endsAt)}.`;
    dates.push({ what: "deadline", at: lastDay, title: `${title}: ends in 24 hours`, summary });
  }
  if (freezeAt !== null) {
    const summary = `The leaderboards show only what was submitted before, until ${date(resultsAt)}.`;
    dates.push({ what: "frozen", at: freezeAt, title: `${title}: leaderboards frozen`, summary });
  }
  if (resultsAt !== endsAt) {
    const summary = `Submissions are closed. The results appear at ${date(resultsAt)}.`;
    dates.push({ what: "ended", at: endsAt, title: `${title}: ended`, summary });
  }
  dates.push({ what: "results", at: resultsAt, title: `${title}: results`, summary: results(boards) });
  return dates
    .filter(({ at }) => new Date(at) <= now)
    .map(({ what, at, ...entry }) => ({ ...entry, id: `${page}#${what}`, page, updatedAt: at, author: null }));
}

function results(boards: readonly BoardSummary[]): string {
  const won = boards.flatMap(({ board, target, leader, team, bestNs, bestRankedBy }) =>
    leader === null || bestNs === null
      ? []
      : `${board} on ${target}: ${displayName(entrantOf({ account: leader, team }))}, ${formatRankingWords({ timeNs: { value: bestNs }, rankedBy: bestRankedBy })}`,
  );
  return won.length === 0 ? "No entries." : `First on the leaderboards: ${won.join("; ")}.`;
}

/** Formats a time as `2026-11-26 18:00 UTC`. */
function date(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
