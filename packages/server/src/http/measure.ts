import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { requestSeconds } from "../observe/metrics.ts";
import type { HttpEnv } from "../services.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE"]);

/** Measures the duration of each request and logs it. */
export function measureRequests(log: { info: (about: object, what: string) => void }): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    await next();
    const ms = performance.now() - startedAt;
    const { status } = c.res;
    const method = METHODS.has(c.req.method) ? c.req.method : "other";
    const route = routeOf(c);
    requestSeconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1000);
    log.info({ method, route, status, ms: Math.round(ms) }, "request");
  };
}

/** Returns the matched route pattern, because a path contains ids and user input; `none` where no route matches. */
function routeOf(c: Context<HttpEnv>): string {
  const route = routePath(c);
  return route.endsWith("*") ? "none" : route;
}
