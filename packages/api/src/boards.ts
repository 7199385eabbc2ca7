import {
  Board,
  BoardHistory,
  BoardList,
  CheckInUseRequest,
  MAX_HISTORY_ENTRANTS,
  ProblemName,
  RerunList,
  RerunRequest,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";
import { get, ORGANISER, post } from "./contract.ts";
import { OfCompetition, repeated, wholeNumber } from "./parameters.ts";

const BoardAddress = z.object({ board: ProblemName, target: TargetName });

const OfRevision = z.object({
  revision: wholeNumber(1, 1_000_000).optional().describe("Revision of the board; default: the current one"),
});

/** Entrants whose history is requested. */
const Entrants = z.object({
  entrant: repeated(z.string().max(200), MAX_HISTORY_ENTRANTS)
    .default([])
    .describe(`Account id, or team as team:ID; up to ${MAX_HISTORY_ENTRANTS}`),
});

export const boards = {
  list: get("/boards", {
    summary: "List boards with their leaders: public boards, and with a token those visible to its account",
    scope: null,
    query: OfCompetition,
    answers: { 200: { description: "Boards by name and target", schema: BoardList } },
  }),

  get: get("/boards/{board}/{target}", {
    summary: "Get a board: the best ranked run of each account or team, best first",
    scope: null,
    params: BoardAddress,
    query: OfRevision.extend({
      unfrozen: z
        .literal("true")
        .optional()
        .describe("Include entries hidden by a freeze; moderators and organisers only"),
    }),
    answers: {
      200: { description: "Current board", schema: Board, headers: { ETag: "Changes with the board" } },
      304: { description: "Not modified since the given ETag" },
    },
  }),

  history: get("/boards/{board}/{target}/history", {
    summary: "Get a board's history: its records, and the results of selected entrants",
    scope: null,
    params: BoardAddress,
    query: Entrants,
    answers: { 200: { description: "History by the current ranking", schema: BoardHistory } },
  }),

  rerun: post("/boards/{board}/{target}/rerun", {
    summary:
      "Re-run the first or all entries of a board with new seeds; entries of an earlier revision on the current one",
    scope: "admin",
    params: BoardAddress,
    body: RerunRequest,
    answers: { 202: { description: "Queued runs", schema: RerunList } },
  }),

  checkInUse: post("/boards/{board}/{target}/check-in-use", {
    summary: "Run the kernels of the first or all entries of a board in the problem's application",
    ...ORGANISER,
    params: BoardAddress,
    body: CheckInUseRequest,
    answers: {
      202: { description: "Queued runs; sources that have a result get none", schema: RerunList },
      409: { description: "The problem has no application" },
    },
  }),
};
