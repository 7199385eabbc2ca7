/** The leaderboard page, and the redirect from two selected rows to their comparison. */
import { api, wholeNumber } from "@kernelbot/api";
import {
  AuthorKind,
  problemEndsAt,
  entrantOf,
  KernelBotError,
  VerificationStatus,
  TargetName,
  type BoardRow,
} from "@kernelbot/core";
import { boardPage, CHARTED_ENTRANTS, needsAllRows, ROWS_PER_PAGE, type BoardFilter } from "@kernelbot/web";
import { z } from "zod";
import { readBoard, readUnfrozen } from "../boards.ts";
import { readTop } from "../first-rows.ts";
import { readBoardContext } from "../board-context.ts";
import { readProgress } from "../progress.ts";
import { STRANGER } from "../../auth/visibility.ts";
import { readCompetition } from "../../competitions/competitions.ts";
import { readAvailabilities } from "../../queue/availability.ts";
import type { Database } from "../../db/database.ts";
import { validated } from "../../http/input.ts";
import { page, type PageRoute } from "../../http/page.ts";

/** Filters in the query. Invalid values are ignored, so that a mistyped link still opens the board. */
const Filter = z.object({
  revision: wholeNumber(1, 1_000_000).nullable().catch(null),
  author: AuthorKind.nullable().catch(null),
  verification: VerificationStatus.nullable().catch(null),
  search: z.string().max(200).catch(""),
  cases: z.literal("1").optional().catch(undefined),
  from: wholeNumber(1, 2 ** 31 - 1).catch(1),
  unfrozen: z.literal("true").optional().catch(undefined),
});

const SubmissionId = wholeNumber(1, 2 ** 31 - 1);
const Chosen = z.object({ with: z.array(SubmissionId), target: TargetName.optional() });

export const boardPages: readonly PageRoute[] = [
  page({
    path: "/boards/:board/:target",
    access: "viewer",
    params: api.boards.get.params,
    query: Filter,
    async handle({ c, services: { database }, identity: viewer, params, query, visit }) {
      const { board: name, target } = params;
      const { cases, unfrozen, ...filter } = query;
      const drawn = z
        .array(SubmissionId)
        .catch([])
        .parse(c.req.queries("with") ?? [])
        .slice(0, CHARTED_ENTRANTS);
      const revision = filter.revision ?? undefined;
      const boardFilter: BoardFilter = {
        ...filter,
        cases: cases === "1",
        with: drawn,
        unfrozen: unfrozen !== undefined,
      };
      const top = needsAllRows(boardFilter)
        ? null
        : await readTop(database, viewer, name, target, revision, ROWS_PER_PAGE);
      const board =
        unfrozen === undefined
          ? (top?.board ?? (await readBoard(database, viewer, name, target, revision)))
          : await readUnfrozen(database, viewer, name, target);
      const [place, history, availabilities] = await Promise.all([
        readBoardContext(database, viewer, name),
        readProgress(database, viewer, board, entrants(board.rows, drawn)),
        readAvailabilities(database),
      ]);
      const found = place.competition === null ? null : await readCompetition(database, viewer, place.competition);
      // A problem's boards may close before the competition does.
      const competition = found && { ...found, endsAt: problemEndsAt(found, name) };
      return boardPage({
        board,
        history,
        competition,
        targets: place.targets,
        runners: availabilities(target),
        ...(top !== null && { whole: top }),
        filter: { ...boardFilter, unfrozen: board.unfrozen },
        viewerId: place.viewerId,
        now: new Date(),
        visit,
      });
    },
  }),

  page({
    path: "/compare",
    access: "anyone",
    handle({ c }) {
      const { with: ids, target } = validated(Chosen, { ...c.req.query(), with: c.req.queries("with") ?? [] });
      const [a, b, ...more] = ids;
      if (a === undefined || b === undefined || more.length > 0) {
        throw new KernelBotError("unprocessable", `Select exactly two rows to compare; ${ids.length} are selected.`);
      }
      return c.redirect(`/compare/${a}/${b}${target === undefined ? "" : `?target=${target}`}`, 303);
    },
  }),
];

/** Maximum number of boards to preload; a server rarely has more public ones. */
const AHEAD = 500;

/**
 * Preloads the first page of every public board, so that the first visitors after a restart do not have to wait for the
 * queries.
 */
export async function readBoardsAhead(database: Database, signal: AbortSignal): Promise<void> {
  const boards = await database.db
    .selectFrom("board")
    .select(["problem", "target"])
    .orderBy("problem")
    .orderBy("target")
    .limit(AHEAD)
    .execute();
  for (const { problem, target } of boards) {
    if (signal.aborted) return;
    try {
      const top = await readTop(database, STRANGER, problem, target, undefined, ROWS_PER_PAGE);
      if (top !== null) await readProgress(database, STRANGER, top.board, entrants(top.board.rows, []));
    } catch (error) {
      // Boards that anonymous viewers may not see are not preloaded.
      if (!(error instanceof KernelBotError && error.code === "not_found")) throw error;
    }
  }
}

/** Returns the ids of the entrants in the progress chart: those of the selected rows, else of the first rows. */
function entrants(rows: readonly BoardRow[], drawn: readonly number[]): string[] {
  const selected = rows.filter(({ submissionId }) => drawn.includes(submissionId));
  return (selected.length > 0 ? selected : rows.slice(0, CHARTED_ENTRANTS)).map((row) => entrantOf(row).id);
}
