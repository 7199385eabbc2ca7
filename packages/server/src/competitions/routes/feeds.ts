/** The Atom feeds of competitions, as an anonymous viewer sees them. */
import { CompetitionName, type Competition } from "@kernelbot/core";
import { competitionFeed, newsFeed, type CompetitionNews } from "@kernelbot/web";
import { z } from "zod";
import { noCompetition, STRANGER } from "../../auth/visibility.ts";
import { listBoards } from "../../boards/list.ts";
import type { Database } from "../../db/database.ts";
import { respondWithFeed } from "../../http/etag.ts";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";
import { listCompetitions, readAnnouncements, readCompetition } from "../competitions.ts";

/** Maximum number of competitions in the feed of all. */
const NEWEST = 20;

export const competitionFeeds: readonly PageRoute[] = [
  page({
    path: "/feed.atom",
    access: "anyone",
    async handle({ c, services: { database, site } }) {
      const all = await listCompetitions(database, STRANGER);
      const newest = all.toSorted((a, b) => b.startsAt.localeCompare(a.startsAt)).slice(0, NEWEST);
      const news = await readNews(database, newest, undefined);
      return respondWithFeed(c, await newsFeed(news, originOf(c, site), new Date()));
    },
  }),

  page({
    path: "/competitions/:name/feed.atom",
    access: "anyone",
    params: z.object({ name: CompetitionName }),
    async handle({ c, services: { database, site }, params: { name } }) {
      const competition = await readCompetition(database, STRANGER, name);
      if (competition === null) throw noCompetition(name);
      const [news] = await readNews(database, [competition], name);
      if (news === undefined) throw noCompetition(name);
      return respondWithFeed(c, await competitionFeed(news, originOf(c, site), new Date()));
    },
  }),
];

/** Reads the boards and announcements of competitions. @param only The competition, if it is one that may be unlisted. */
async function readNews(
  database: Database,
  competitions: readonly Competition[],
  only: string | undefined,
): Promise<CompetitionNews[]> {
  const names = competitions.map(({ name }) => name);
  const problems = competitions.flatMap((competition) => competition.problems.map(({ name }) => name));
  const [boards, announcements] = await Promise.all([
    listBoards(database, STRANGER, { competition: only, problems }),
    readAnnouncements(database, names),
  ]);
  return competitions.map((competition) => ({
    competition,
    announcedAt: announcements.get(competition.name)?.toISOString() ?? competition.startsAt,
    boards: boards.filter(({ board }) => competition.problems.some(({ name }) => name === board)),
  }));
}
