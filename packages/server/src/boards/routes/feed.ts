/** The Atom feed of a board's records, as an anonymous viewer sees them. */
import { api } from "@kernelbot/api";
import { boardFeed } from "@kernelbot/web";
import { STRANGER } from "../../auth/visibility.ts";
import { respondWithFeed } from "../../http/etag.ts";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";
import { readHead } from "../board-version.ts";
import { readHistory } from "../history.ts";

export const boardFeeds: readonly PageRoute[] = [
  page({
    path: "/boards/:board/:target/feed.atom",
    access: "anyone",
    params: api.boards.get.params,
    async handle({ c, services: { database, site }, params: { board, target } }) {
      const { since } = await readHead(database, STRANGER, board, target);
      const history = await readHistory(database, STRANGER, board, target, []);
      return respondWithFeed(c, await boardFeed(history, originOf(c, site), since.toISOString()));
    },
  }),
];
