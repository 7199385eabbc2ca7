import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { HttpEnv } from "../services.ts";

/** Returns whether If-None-Match contains the ETag. */
export function notModified(c: Context<HttpEnv>, etag: string): boolean {
  const header = c.req.header("if-none-match");
  if (header === undefined) return false;
  return header === etag || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Responds with JSON and the ETag of its content; 304 where the client has it. */
export function respondWithETag(c: Context<HttpEnv>, document: unknown): Response {
  return respondWithContent(c, JSON.stringify(document), "application/json");
}

/** Responds with an Atom feed and the ETag of its content; 304 where the reader has it. */
export function respondWithFeed(c: Context<HttpEnv>, feed: string): Response {
  return respondWithContent(c, feed, "application/atom+xml; charset=utf-8");
}

function respondWithContent(c: Context<HttpEnv>, body: string, type: string): Response {
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  if (notModified(c, etag)) return c.body(null, 304, { etag });
  return c.body(body, 200, { etag, "content-type": type, "cache-control": "private, no-cache" });
}
