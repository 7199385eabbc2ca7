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
  return respondWithContent(c, JSON.stringify(document), "application/json", "private, no-cache");
}

/** Responds with a document that every caller gets alike, and the ETag of its content; 304 where the client has it. */
export function respondWithPublic(c: Context<HttpEnv>, body: string, type: string, maxAgeS: number): Response {
  return respondWithContent(c, body, type, `public, max-age=${maxAgeS}`);
}

function respondWithContent(c: Context<HttpEnv>, body: string, type: string, cacheControl: string): Response {
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  const headers = { etag, "cache-control": cacheControl };
  if (notModified(c, etag)) return c.body(null, 304, headers);
  return c.body(body, 200, { ...headers, "content-type": type });
}
