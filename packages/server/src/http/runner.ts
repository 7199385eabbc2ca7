/** The routes of runners, in the words of core's `runner.ts`. */
import { KernelBotError, Claimed, ClaimRequest, Problem, Report, Reported } from "@kernelbot/core";
import { z } from "zod";
import { readProblemVersion } from "../problems/problems.ts";
import { claimWait } from "../queue/claim.ts";
import { report } from "../runs/report.ts";
import { endpoint, Id } from "./endpoint.ts";

export const runnerEndpoints = [
  endpoint({
    method: "post",
    path: "/runner/claim",
    summary: "Claim a run for a target, waiting for one if need be",
    scope: "runner",
    body: ClaimRequest,
    answers: {
      200: { description: "A run, held under a lease", schema: Claimed },
      204: { description: "Nothing waited in that time" },
    },
    async handle({ c, faces, identity, body }) {
      // A run must not go to a runner that has hung up.
      const signal = AbortSignal.any([c.req.raw.signal, faces.closing]);
      const claimed = await claimWait(faces.database, identity, body, signal);
      return claimed === null ? c.body(null, 204) : c.json(claimed);
    },
  }),

  endpoint({
    method: "get",
    path: "/runner/problems/{version}",
    summary: "A version of a problem with its files",
    scope: "runner",
    params: z.object({ version: z.string().regex(/^[0-9a-f]{64}$/, "use the 64 hexadecimal digits of a version") }),
    answers: { 200: { description: "It never changes", schema: Problem } },
    async handle({ c, faces, params }) {
      const problem = await readProblemVersion(faces.database, params.version);
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
    body: Report,
    answers: {
      200: { description: "They are stored", schema: Reported },
      409: { description: "The attempt is no longer this runner's" },
    },
    async handle({ c, faces, identity, params, body }) {
      return c.json(await report(faces.database, identity, params.id, body, { signer: faces.signer }));
    },
  }),
];
