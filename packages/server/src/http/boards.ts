import { createHash } from "node:crypto";
import { Board, BoardList, ProblemName, TargetName } from "@kernelbot/core";
import { z } from "zod";
import { listBoards, readBoard } from "../boards/boards.ts";
import { endpoint } from "./endpoint.ts";
import { notModified } from "./etag.ts";

export const boardEndpoints = [
  endpoint({
    method: "get",
    path: "/boards",
    summary: "All boards with their leaders",
    scope: null,
    answers: { 200: { description: "In the order of their names", schema: BoardList } },
    async handle({ c, faces }) {
      return c.json({ boards: await listBoards(faces.database) });
    },
  }),

  endpoint({
    method: "get",
    path: "/boards/{board}/{target}",
    summary: "A board: each account's best ranked run, from fast to slow",
    scope: null,
    params: z.object({ board: ProblemName, target: TargetName }),
    answers: {
      200: { description: "As it stands now", schema: Board, headers: { ETag: "Changes with it" } },
      304: { description: "It is as it was under the tag in If-None-Match" },
    },
    async handle({ c, faces, params }) {
      const body = JSON.stringify(await readBoard(faces.database, params.board, params.target));
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      if (notModified(c, etag)) return c.body(null, 304, { etag });
      return c.body(body, 200, { etag, "content-type": "application/json", "cache-control": "no-cache" });
    },
  }),
];
