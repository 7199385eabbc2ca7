/** API endpoints for stored baselines. */
import { BaselineId, BaselineList, BaselineUpload, StoredBaseline } from "@kernelbot/core";
import { z } from "zod";
import { listBaselines, putBaseline, readBaseline } from "../baselines.ts";
import { endpoint } from "../../http/endpoint.ts";

export const baselineEndpoints = [
  endpoint({
    method: "get",
    path: "/kernelbench/baselines",
    summary: "List stored baselines",
    scope: null,
    answers: { 200: { description: "Baselines, ordered by id", schema: BaselineList } },
    async handle({ c, services }) {
      const baselines = await listBaselines(services.database);
      return c.json<z.infer<typeof BaselineList>>({
        baselines: baselines.map(({ times, ...baseline }) => ({ ...baseline, problemCount: times.length })),
      });
    },
  }),

  endpoint({
    method: "get",
    path: "/kernelbench/baselines/{baseline}",
    summary: "Get a stored baseline with its times",
    scope: null,
    params: z.object({ baseline: BaselineId }),
    answers: { 200: { description: "The baseline, with times ordered by problem", schema: StoredBaseline } },
    async handle({ c, services, params }) {
      return c.json(await readBaseline(services.database, params.baseline));
    },
  }),

  endpoint({
    method: "post",
    path: "/kernelbench/baselines",
    summary: "Store a baseline permanently",
    scope: "admin",
    role: "organiser",
    body: BaselineUpload,
    answers: {
      200: { description: "Stored now or by an earlier identical request", schema: StoredBaseline },
      409: { description: "Another baseline has this id" },
    },
    async handle({ c, services, identity, body }) {
      return c.json(await putBaseline(services.database, identity, body));
    },
  }),
];
