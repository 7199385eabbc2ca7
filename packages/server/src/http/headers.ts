import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { withRequest } from "../observe/request.ts";
import type { HttpEnv } from "../services.ts";
import type { Site } from "./site.ts";

/**
 * Returns the Content-Security-Policy of pages: styles, scripts and live updates only from this origin; forms only to this
 * origin and to the sign-in providers, because browsers check `form-action` for redirects too.
 */
function pagePolicy({ providers }: Site): string {
  const addresses = providers.flatMap((provider) => (provider.name === "oidc" ? [] : [provider.authorizeUrl]));
  const formTargets = ["'self'", ...new Set(addresses.map((url) => new URL(url).origin))];
  return `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action ${formTargets.join(" ")}; frame-ancestors 'none'`;
}

/**
 * Returns the Content-Security-Policy of a page that other sites show in frames.
 * @param origin Origin to which a form of the page is sent, if it has one.
 */
export function framedPolicy(site: Site, origin = ""): string {
  return pagePolicy(site)
    .replace("frame-ancestors 'none'", "frame-ancestors http: https:")
    .replace("form-action 'self'", `form-action 'self' ${origin}`);
}

/** Content-Security-Policy of API responses, which load nothing. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sets the request id and the security headers. They are set before the response exists: changing a finished response
 * copies it, which is measurable on long polls.
 * @param framed Paths of the routes that other sites may show in frames.
 */
export function secureHeaders(site: Site, framed: ReadonlySet<string>): MiddlewareHandler<HttpEnv> {
  const policy = pagePolicy(site);
  const policyInFrames = framedPolicy(site);
  const policyOf = (path: string) =>
    path.startsWith("/api/") ? API_POLICY : framed.has(path) ? policyInFrames : policy;
  return (c, next) => {
    const requestId = randomUUID();
    c.set("requestId", requestId);
    c.header("x-request-id", requestId);
    c.header("x-content-type-options", "nosniff");
    // With no-referrer, browsers would send `Origin: null` with forms.
    c.header("referrer-policy", "same-origin");
    c.header("cross-origin-resource-policy", "same-origin");
    // Responses depend on the caller, whichever header authenticates them; shared caches must not store them.
    c.header("cache-control", "private, no-cache");
    c.header("content-security-policy", policyOf(c.req.path));
    return withRequest(requestId, next);
  };
}
