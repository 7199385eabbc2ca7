import type { Context } from "hono";
import type { HttpEnv } from "./faces.ts";

/** Whether the client has the version with this tag. */
export function notModified(c: Context<HttpEnv>, etag: string): boolean {
  const header = c.req.header("if-none-match");
  if (header === undefined) return false;
  return header === etag || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
