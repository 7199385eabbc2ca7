import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "./faces.ts";

/** Pages load style, script and live updates from here alone, and send forms here alone; what the API answers loads nothing. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Names the request for the log, and tells browsers to be strict about the answer. Set before the answer is made: to
 * change a finished one costs a copy of it, which polls would feel.
 */
export const secureHeaders: MiddlewareHandler<HttpEnv> = (c, next) => {
  const requestId = randomUUID();
  c.set("requestId", requestId);
  c.header("x-request-id", requestId);
  c.header("x-content-type-options", "nosniff");
  c.header("referrer-policy", "no-referrer");
  c.header("cross-origin-resource-policy", "same-origin");
  c.header("content-security-policy", c.req.path.startsWith("/api/") ? API_POLICY : PAGE_POLICY);
  return next();
};
