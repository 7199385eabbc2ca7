import type { Context } from "hono";
import type { Services, HttpEnv } from "../../services.ts";

/** Route of the popcorn client's API: method, path in Hono's syntax, and handler. */
export type PopcornRoute = readonly [
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  handle: (c: Context<HttpEnv>, services: Services) => Response | Promise<Response>,
  /** Allowed query parameters; none where absent. */
  query?: readonly string[],
];
