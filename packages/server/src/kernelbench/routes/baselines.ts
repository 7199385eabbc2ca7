/** API endpoints for stored baselines. */
import { api } from "@kernelbot/api";
import { BaselineList } from "@kernelbot/core";
import { z } from "zod";
import { listBaselines, putBaseline, readBaseline } from "../baselines.ts";
import { endpoint } from "../../http/endpoint.ts";

export const baselineEndpoints = [
  endpoint(api.kernelbench.baselines, async ({ c, services }) => {
    const baselines = await listBaselines(services.database);
    return c.json<z.infer<typeof BaselineList>>({
      baselines: baselines.map(({ times, ...baseline }) => ({ ...baseline, problemCount: times.length })),
    });
  }),

  endpoint(api.kernelbench.baseline, async ({ c, services, params }) => {
    return c.json(await readBaseline(services.database, params.baseline));
  }),

  endpoint(api.kernelbench.putBaseline, async ({ c, services, identity, body }) => {
    return c.json(await putBaseline(services.database, identity, body));
  }),
];
