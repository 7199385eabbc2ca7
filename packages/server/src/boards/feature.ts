import type { Feature } from "../feature.ts";
import { BOARDS_TABLES } from "./personal-data.ts";
import { boardPages, readBoardsAhead } from "./routes/board-pages.ts";
import { boardEndpoints } from "./routes/boards.ts";
import { boardFeeds } from "./routes/feed.ts";

export const boards: Feature = {
  name: "boards",
  personalData: BOARDS_TABLES,
  otherTables: ["board", "board_revision", "board_change"],
  endpoints: boardEndpoints,
  pages: [...boardPages, ...boardFeeds],
  jobs: ({ database }) => [
    { name: "read boards ahead", everyMs: Infinity, long: true, run: (signal) => readBoardsAhead(database, signal) },
  ],
};
