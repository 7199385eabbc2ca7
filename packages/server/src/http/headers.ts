import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "./faces.ts";

/** Pages load style, script and live updates from here alone; what is not a page loads nothing. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Names the request for the log, and tells browsers to be strict about the answer. */
export const secureHeaders: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const requestId = randomUUID();
  c.set("requestId", requestId);
  await next();
  const { headers } = c.res;
  headers.set("x-request-id", requestId);
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-resource-policy", "same-origin");
  const isPage = headers.get("content-type")?.startsWith("text/html") === true;
  headers.set("content-security-policy", isPage ? PAGE_POLICY : DATA_POLICY);
};
