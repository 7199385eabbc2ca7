import { api } from "@kernelbot/api";
import { readBoard, readUnfrozen } from "../boards.ts";
import { listBoards } from "../list.ts";
import { readHistory } from "../history.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { notModified } from "../../http/etag.ts";

/** Part of ETags, so that they do not match those of a server with another version or with a restored database. */
const STARTED = Date.now().toString(36);

export const boardEndpoints = [
  endpoint(api.boards.list, async ({ c, services, query }) => {
    return c.json({ boards: await listBoards(services.database, await viewerOf(c, services), query) });
  }),

  endpoint(api.boards.get, async ({ c, services, params, query }) => {
    const viewer = await viewerOf(c, services);
    if (query.unfrozen !== undefined) {
      const whole = await readUnfrozen(services.database, viewer, params.board, params.target);
      return c.json(whole, 200, { "cache-control": "private, no-store" });
    }
    const board = await readBoard(services.database, viewer, params.board, params.target, query.revision);
    const etag = `"${STARTED}-${board.revision}-${board.changeNumber}${board.freeze === null ? "" : "-frozen"}"`;
    if (notModified(c, etag)) return c.body(null, 304, { etag });
    return c.json(board, 200, { etag, "cache-control": "private, no-cache" });
  }),

  endpoint(api.boards.history, async ({ c, services, params, query }) => {
    const viewer = await viewerOf(c, services);
    return c.json(await readHistory(services.database, viewer, params.board, params.target, query.entrant));
  }),
];
