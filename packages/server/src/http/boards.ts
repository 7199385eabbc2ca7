import { createHash } from "node:crypto";
import { Board, BoardList, CompetitionName, ProblemName, TargetName } from "@kernelbot/core";
import { z } from "zod";
import { listBoards, readBoard } from "../boards/boards.ts";
import { viewerOf } from "./auth.ts";
import { endpoint } from "./endpoint.ts";
import { notModified } from "./etag.ts";

export const OfCompetition = z.object({
  competition: CompetitionName.optional().describe("Only those of this competition; an unlisted one is listed so"),
});

export const boardEndpoints = [
  endpoint({
    method: "get",
    path: "/boards",
    summary: "The boards with their leaders: the public ones, and with a token those of its account",
    scope: null,
    query: OfCompetition,
    answers: { 200: { description: "In the order of their names", schema: BoardList } },
    async handle({ c, faces, query }) {
      return c.json({ boards: await listBoards(faces.database, await viewerOf(c, faces), query.competition) });
    },
  }),

  endpoint({
    method: "get",
    path: "/boards/{board}/{target}",
    summary: "A board: the best ranked run of each account or team, from fast to slow",
    scope: null,
    params: z.object({ board: ProblemName, target: TargetName }),
    answers: {
      200: { description: "As it stands now", schema: Board, headers: { ETag: "Changes with it" } },
      304: { description: "It is as it was under the tag in If-None-Match" },
    },
    async handle({ c, faces, params }) {
      const viewer = await viewerOf(c, faces);
      const body = JSON.stringify(await readBoard(faces.database, viewer, params.board, params.target));
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      if (notModified(c, etag)) return c.body(null, 304, { etag });
      return c.body(body, 200, { etag, "content-type": "application/json", "cache-control": "private, no-cache" });
    },
  }),
];
