import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { withRequest } from "../observe/request.ts";
import type { HttpEnv } from "./faces.ts";
import type { Site } from "./site.ts";

/**
 * Pages load style, script and live updates from here alone, and send forms here alone; where the answer to a form leads to
 * a provider, browsers ask whether the form may go there too.
 */
function pagePolicy({ providers }: Site): string {
  const formTargets = ["'self'", ...new Set(providers.map(({ authorizeUrl }) => new URL(authorizeUrl).origin))];
  return `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action ${formTargets.join(" ")}; frame-ancestors 'none'`;
}

/** What the API answers loads nothing. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Names the request for the log, and tells browsers to be strict about the answer. Set before the answer is made: to
 * change a finished one costs a copy of it, which polls would feel.
 */
export function secureHeaders(site: Site): MiddlewareHandler<HttpEnv> {
  const policy = pagePolicy(site);
  return (c, next) => {
    const requestId = randomUUID();
    c.set("requestId", requestId);
    c.header("x-request-id", requestId);
    c.header("x-content-type-options", "nosniff");
    // With no-referrer a browser would not say from where a form of ours was sent.
    c.header("referrer-policy", "same-origin");
    c.header("cross-origin-resource-policy", "same-origin");
    // What depends on who asks is in no cache that others share, whatever header says who it is.
    c.header("cache-control", "private, no-cache");
    c.header("content-security-policy", c.req.path.startsWith("/api/") ? API_POLICY : policy);
    return withRequest(requestId, next);
  };
}
