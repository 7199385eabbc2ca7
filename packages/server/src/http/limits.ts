import { AccountLimits, ProblemLimits, rateLimitFields, type Allowance, type KernelBotError } from "@kernelbot/core";
import type { Context } from "hono";
import { z } from "zod";
import { noProblem } from "../competitions/access.ts";
import { readLimits } from "../competitions/limits.ts";
import { LimitReached, readAllowances } from "../intake/allowances.ts";
import { raiseLimits } from "../intake/raise.ts";
import { viewerOf } from "./auth.ts";
import { endpoint } from "./endpoint.ts";
import type { HttpEnv } from "./faces.ts";

/** Retry-After for temporary unavailability, in seconds. */
const RETRY_AFTER_S = 1;

export const limitEndpoints = [
  endpoint({
    method: "get",
    path: "/problems/{name}/limits",
    summary: "How much an account may submit to a problem's boards, and with a token how much of that is used",
    scope: null,
    params: z.object({ name: z.string() }),
    answers: { 200: { description: "In order of mode; nothing else is limited", schema: ProblemLimits } },
    async handle({ c, faces, params: { name } }) {
      const viewer = await viewerOf(c, faces);
      if (!(await faces.reads.reaches(viewer, name))) throw noProblem(name);
      const [limits, own] = await Promise.all([
        readLimits(faces.database, name),
        viewer === undefined ? null : readAllowances(faces.database, viewer.account.id, name),
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
    async handle({ c, faces, identity, body }) {
      await raiseLimits(faces.database, identity, body);
      return c.body(null, 204);
    },
  }),
];

/** Sets the RateLimit headers, for accepted and rejected submissions. */
export function tellAllowances(c: Context<HttpEnv>, allowances: readonly Allowance[]): void {
  if (allowances.length === 0) return;
  const { policy, limit } = rateLimitFields(allowances, new Date());
  c.header("ratelimit-policy", policy);
  c.header("ratelimit", limit);
}

/** Sets Retry-After of a rejected request where it is known, and the RateLimit headers. */
export function tellWait(c: Context<HttpEnv>, refused: KernelBotError): void {
  const retryAfterS = refused.retryAfterS ?? (refused.code === "unavailable" ? RETRY_AFTER_S : undefined);
  if (retryAfterS !== undefined) c.header("retry-after", String(retryAfterS));
  if (refused instanceof LimitReached) tellAllowances(c, refused.allowances);
}
