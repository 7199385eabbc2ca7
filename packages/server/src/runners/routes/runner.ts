/** API endpoints that runners call. The schemas are in core's `runner.ts`. */
import {
  CanaryReport,
  CanaryResponse,
  ClaimResponse,
  ClaimRequest,
  KernelBotError,
  Problem,
  RunReport,
  ReportResponse,
} from "@kernelbot/core";
import { z } from "zod";
import { readProblemVersion } from "../../problems/problems.ts";
import { waitForWork } from "../../queue/claim.ts";
import { takeCanary } from "../canary.ts";
import { report } from "../../runs/report.ts";
import { endpoint, Id } from "../../http/endpoint.ts";

export const runnerEndpoints = [
  endpoint({
    method: "post",
    path: "/runner/claim",
    summary: "Claim a run for a target, waiting for one if need be",
    scope: "runner",
    body: ClaimRequest,
    answers: {
      200: { description: "A run, held under a lease, or what to do instead", schema: ClaimResponse },
      204: { description: "Nothing waited in that time" },
      403: { description: "The hardware is not the target, or the token has no room for another runner" },
      429: { description: "Another process of this name is at work" },
    },
    async handle({ c, services, identity, body }) {
      // A disconnected runner must not be given a run.
      const signal = AbortSignal.any([c.req.raw.signal, services.closing]);
      const answer = await waitForWork(services.database, identity, body, signal, { policy: services.runners });
      return answer === null ? c.body(null, 204) : c.json(answer);
    },
  }),

  endpoint({
    method: "post",
    path: "/runner/canary",
    summary: "Report how long the canary took",
    scope: "runner",
    body: CanaryReport,
    answers: {
      200: { description: "What comes of it", schema: CanaryResponse },
      409: { description: "This runner has not asked for work" },
    },
    async handle({ c, services, identity, body }) {
      return c.json({ message: await takeCanary(services.database, identity, body, services.runners) });
    },
  }),

  endpoint({
    method: "get",
    path: "/runner/problems/{version}",
    summary: "A version of a problem with its files",
    scope: "runner",
    params: z.object({ version: z.string().regex(/^[0-9a-f]{64}$/, "use the 64 hexadecimal digits of a version") }),
    answers: { 200: { description: "It never changes", schema: Problem } },
    async handle({ c, services, params }) {
      const problem = await readProblemVersion(services.database, params.version);
      if (problem === null) throw new KernelBotError("not_found", `there is no problem version ${params.version}`);
      return c.json(problem, 200, { "cache-control": "private, max-age=31536000, immutable" });
    },
  }),

  endpoint({
    method: "post",
    path: "/runner/runs/{id}/report",
    summary: "Report events of an attempt and renew its lease",
    scope: "runner",
    params: Id,
    body: RunReport,
    answers: {
      200: { description: "They are stored", schema: ReportResponse },
      409: { description: "The attempt is no longer this runner's" },
    },
    async handle({ c, services, identity, params, body }) {
      return c.json(await report(services.database, identity, params.id, body, { signer: services.signer }));
    },
  }),
];
