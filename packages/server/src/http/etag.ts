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
  const body = JSON.stringify(document);
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  if (notModified(c, etag)) return c.body(null, 304, { etag });
  return c.body(body, 200, { etag, "content-type": "application/json", "cache-control": "private, no-cache" });
}
