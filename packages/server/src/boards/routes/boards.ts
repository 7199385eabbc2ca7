import {
  Board,
  BoardHistory,
  BoardList,
  CompetitionName,
  MAX_HISTORY_ENTRANTS,
  ProblemName,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";
import { listBoards, readBoard, readUnfrozen } from "../boards.ts";
import { readHistory } from "../history.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { notModified } from "../../http/etag.ts";
import { repeated, wholeNumber } from "../../http/input.ts";

export const OfCompetition = z.object({
  competition: CompetitionName.optional().describe("Only those of this competition; an unlisted one is listed so"),
});

export const BoardAddress = z.object({ board: ProblemName, target: TargetName });

export const OfEdition = z.object({
  edition: wholeNumber(1, 1_000_000).optional().describe("A former edition of the board; the current one unless given"),
});

/** Entrants whose history is requested. */
export const Entrants = z.object({
  entrant: repeated(z.string().max(200), MAX_HISTORY_ENTRANTS)
    .default([])
    .describe(`An account by its id, or a team as team:ID; up to ${MAX_HISTORY_ENTRANTS}`),
});

/** Part of ETags, so that they do not match those of a server with another version or with a restored database. */
const STARTED = Date.now().toString(36);

export const boardEndpoints = [
  endpoint({
    method: "get",
    path: "/boards",
    summary: "The boards with their leaders: the public ones, and with a token those of its account",
    scope: null,
    query: OfCompetition,
    answers: { 200: { description: "In the order of their names", schema: BoardList } },
    async handle({ c, services, query }) {
      return c.json({ boards: await listBoards(services.database, await viewerOf(c, services), query.competition) });
    },
  }),

  endpoint({
    method: "get",
    path: "/boards/{board}/{target}",
    summary: "A board: the best ranked run of each account or team, from fast to slow",
    scope: null,
    params: BoardAddress,
    query: OfEdition.extend({
      unfrozen: z.literal("true").optional().describe("With what a freeze hides: for moderators and organisers"),
    }),
    answers: {
      200: { description: "As it stands now", schema: Board, headers: { ETag: "Changes with it" } },
      304: { description: "It is as it was under the tag in If-None-Match" },
    },
    async handle({ c, services, params, query }) {
      const viewer = await viewerOf(c, services);
      if (query.unfrozen !== undefined) {
        const whole = await readUnfrozen(services.database, viewer, params.board, params.target);
        return c.json(whole, 200, { "cache-control": "private, no-store" });
      }
      const board = await readBoard(services.database, viewer, params.board, params.target, query.edition);
      const etag = `"${STARTED}-${board.edition}-${board.revision}${board.freeze === null ? "" : "-frozen"}"`;
      if (notModified(c, etag)) return c.body(null, 304, { etag });
      return c.json(board, 200, { etag, "cache-control": "private, no-cache" });
    },
  }),

  endpoint({
    method: "get",
    path: "/boards/{board}/{target}/history",
    summary: "How the times of a board came down: its records, and what some entrants have on it",
    scope: null,
    params: BoardAddress,
    query: Entrants,
    answers: { 200: { description: "By the ranking as it is now", schema: BoardHistory } },
    async handle({ c, services, params, query }) {
      const viewer = await viewerOf(c, services);
      return c.json(await readHistory(services.database, viewer, params.board, params.target, query.entrant));
    },
  }),
];
