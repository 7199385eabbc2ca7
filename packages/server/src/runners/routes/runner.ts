/** API endpoints that runners call. The schemas are in core's `runner.ts`. */
import { api } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { readJudgedVersion } from "../../problems/problems.ts";
import { waitForWork } from "../../queue/claim.ts";
import { leasesVersion } from "../../queue/lease.ts";
import { checkRunner } from "../join.ts";
import { recordCanary } from "../canary.ts";
import { report } from "../../runs/report.ts";
import { endpoint } from "../../http/endpoint.ts";

export const runnerEndpoints = [
  endpoint(api.runner.check, async ({ c, services, identity, body }) => {
    return c.json(await checkRunner(services.database, identity, body, services.runners));
  }),

  endpoint(api.runner.claim, async ({ c, services, identity, body }) => {
    // A disconnected runner must not be given a run.
    const signal = AbortSignal.any([c.req.raw.signal, services.closing]);
    const answer = await waitForWork(services.database, identity, body, signal, { policy: services.runners });
    return answer === null ? c.body(null, 204) : c.json(answer);
  }),

  endpoint(api.runner.reportCanary, async ({ c, services, identity, body }) => {
    return c.json({ message: await recordCanary(services.database, identity, body, services.runners) });
  }),

  endpoint(api.runner.problem, async ({ c, services, identity, params: { version } }) => {
    const isLeased = await leasesVersion(services.database, identity, version);
    const problem = isLeased ? await readJudgedVersion(services.database, version) : null;
    if (problem === null) {
      throw new KernelBotError("not_found", `this token leases no run of the problem version ${version}`);
    }
    return c.json(problem, 200, { "cache-control": "private, max-age=31536000, immutable" });
  }),

  endpoint(api.runner.report, async ({ c, services, identity, params, body }) => {
    return c.json(await report(services.database, identity, params.id, body, { signer: services.signer }));
  }),
];
