import { api } from "@kernelbot/api";
import { type Allowance } from "@kernelbot/core";
import type { Context } from "hono";
import { noProblem } from "../../auth/visibility.ts";
import { readLimits } from "../../competitions/limits.ts";
import { rateLimitHeaders, readAllowances } from "../allowances.ts";
import { raiseLimits } from "../raised-limits.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { HttpEnv } from "../../services.ts";

export const limitEndpoints = [
  endpoint(api.problems.limits, async ({ c, services, params: { name } }) => {
    const viewer = await viewerOf(c, services);
    if (!(await services.reads.canSeeProblem(viewer, name))) throw noProblem(name);
    const [limits, own] = await Promise.all([
      readLimits(services.database, name),
      viewer === undefined ? null : readAllowances(services.database, viewer.account.id, name),
    ]);
    return c.json({ limits, own });
  }),

  endpoint(api.accounts.raiseLimits, async ({ c, services, identity, body }) => {
    await raiseLimits(services.database, identity, body);
    return c.body(null, 204);
  }),
];

/** Sets the RateLimit headers of an accepted submission. */
export function setRateLimitHeaders(c: Context<HttpEnv>, allowances: readonly Allowance[]): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(allowances, new Date()))) c.header(name, value);
}
