import type { Context } from "hono";
import type { HttpEnv } from "../services.ts";
import { respondWithPublic } from "./etag.ts";

/** Seconds for which a reader need not ask again. */
const MAX_AGE_S = 60;

/** Responds with an Atom feed; 304 where the reader has it. */
export function respondWithFeed(c: Context<HttpEnv>, feed: string): Response {
  return respondWithPublic(c, feed, "application/atom+xml; charset=utf-8", MAX_AGE_S);
}
