import { AccountLimits, ProblemLimits, type Allowance } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { noProblem } from "../../auth/visibility.ts";
import { readLimits } from "../../competitions/limits.ts";
import { rateLimitHeaders, readAllowances } from "../allowances.ts";
import { raiseLimits } from "../raised-limits.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { HttpEnv } from "../../services.ts";

export const limitEndpoints = [
  endpoint({
    method: "get",
    path: "/problems/{name}/limits",
    summary: "How much an account may submit to a problem's boards, and with a token how much of that is used",
    scope: null,
    params: z.object({ name: z.string() }),
    answers: { 200: { description: "In order of mode; nothing else is limited", schema: ProblemLimits } },
    async handle({ c, services, params: { name } }) {
      const viewer = await viewerOf(c, services);
      if (!(await services.reads.reaches(viewer, name))) throw noProblem(name);
      const [limits, own] = await Promise.all([
        readLimits(services.database, name),
        viewer === undefined ? null : readAllowances(services.database, viewer.account.id, name),
      ]);
      return c.json({ limits, own });
    },
  }),

  endpoint({
    method: "put",
    path: "/admin/limits",
    summary: "Raise limits for one account: of a competition, of a board, or of the server",
    scope: "admin",
    role: "organiser",
    body: AccountLimits,
    answers: { 204: { description: "They hold from now on, in place of what was raised for it there before" } },
    async handle({ c, services, identity, body }) {
      await raiseLimits(services.database, identity, body);
      return c.body(null, 204);
    },
  }),
];

/** Sets the RateLimit headers of an accepted submission. */
export function setRateLimitHeaders(c: Context<HttpEnv>, allowances: readonly Allowance[]): void {
  for (const [name, value] of Object.entries(rateLimitHeaders(allowances, new Date()))) c.header(name, value);
}
