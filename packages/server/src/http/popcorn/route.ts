import type { Context } from "hono";
import type { Faces, HttpEnv } from "../faces.ts";

/** A route of the popcorn client's API: its method, its path in the syntax of Hono, and its handler. */
export type PopcornRoute = readonly [
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  handle: (c: Context<HttpEnv>, faces: Faces) => Response | Promise<Response>,
  /** The parameters that its query may have; none where they are absent. */
  query?: readonly string[],
];
