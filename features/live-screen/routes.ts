/** The live screen of an event: boards in large type, for a projector. */
import { CompetitionName, ProblemName, TargetName } from "@kernelbot/core";
import { z } from "zod";
import { readBoard } from "@kernelbot/server/src/boards/boards.ts";
import { listBoards } from "@kernelbot/server/src/boards/list.ts";
import { noCompetition } from "@kernelbot/server/src/auth/visibility.ts";
import { listCompetitions, readCompetition } from "@kernelbot/server/src/competitions/competitions.ts";
import { listFrontProblems } from "@kernelbot/server/src/problems/problems.ts";
import { validated } from "@kernelbot/server/src/http/input.ts";
import { page, type PageRoute } from "@kernelbot/server/src/http/page.ts";
import { chooseScreenPage, screenPage } from "./page.ts";

/** Maximum number of boards on one screen. */
const MOST_BOARDS = 12;

const Named = z.templateLiteral([ProblemName, "/", TargetName]).transform((name) => {
  const [board = "", target = ""] = name.split("/");
  return { board, target };
});

const Asked = z.object({
  board: z.array(Named, "name boards as PROBLEM/TARGET").max(MOST_BOARDS, `name ${MOST_BOARDS} boards at most`),
  competition: CompetitionName.optional(),
});

export const LIVE_SCREEN_ROUTES: readonly PageRoute[] = [
  page({
    path: "/live",
    access: "viewer",
    async handle({ c, services: { database }, identity: viewer, visit }) {
      // A form also sends its empty fields.
      const competitionName = c.req.query("competition") || undefined;
      const query = validated(Asked, { board: c.req.queries("board") ?? [], competition: competitionName });
      if (query.board.length === 0 && query.competition === undefined) {
        const [boards, competitions] = await Promise.all([
          listFrontProblems(database, viewer).then(({ names }) => listBoards(database, viewer, { problems: names })),
          listCompetitions(database, viewer),
        ]);
        return chooseScreenPage({ boards, competitions, most: MOST_BOARDS, visit });
      }
      const competition =
        query.competition === undefined ? null : await readCompetition(database, viewer, query.competition);
      if (query.competition !== undefined && competition === null) throw noCompetition(query.competition);
      const named =
        query.board.length > 0 ? query.board : (await listBoards(database, viewer, query)).slice(0, MOST_BOARDS);
      const boards = await Promise.all(named.map(({ board, target }) => readBoard(database, viewer, board, target)));
      return screenPage({ boards, isWhole: query.board.length === 0, competition, now: new Date(), visit });
    },
  }),
];
