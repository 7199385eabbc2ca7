/** API endpoints and page of the queue. Anyone may see counts; administrators also see runs and runners. */
import { Queue, WaitingRunList } from "@kernelbot/core";
import { queuePage } from "@kernelbot/web";
import type { Hono } from "hono";
import { z } from "zod";
import { hasRole } from "../../auth/identity.ts";
import { queueFor } from "../queue.ts";
import { listWaiting } from "../queued-runs.ts";
import { listRunners } from "../../runners/list.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Services, HttpEnv } from "../../services.ts";
import { wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { visitOf } from "../../http/page-context.ts";

const LIVE = { "cache-control": "private, no-store" };

/** Default number of queued runs. */
const SHOWN_WAITING = 100;

export const queueEndpoints = [
  endpoint({
    method: "get",
    path: "/queue",
    summary: "What waits and runs on each target, the runners that are there, and the last 24 hours",
    scope: null,
    answers: { 200: { description: "The targets of the boards that the caller lists", schema: Queue } },
    async handle({ c, services }) {
      const viewer = await viewerOf(c, services);
      return c.json(await queueFor(services.database, viewer, await services.reads.queue()), 200, LIVE);
    },
  }),

  endpoint({
    method: "get",
    path: "/queue/runs",
    summary: "The runs that wait, by target in the order of claiming",
    scope: "admin",
    role: "administrator",
    query: z.object({ limit: wholeNumber(1, 1000).default(SHOWN_WAITING).describe(`${SHOWN_WAITING} unless given`) }),
    answers: { 200: { description: "With whose they are, and for which problem", schema: WaitingRunList } },
    async handle({ c, services, identity, query }) {
      return c.json({ runs: await listWaiting(services.database, identity, query.limit) }, 200, LIVE);
    },
  }),
];

export function mountQueuePage(app: Hono<HttpEnv>, services: Services): void {
  const { database, reads, site } = services;

  app.get("/queue", async (c) => {
    c.header("cache-control", "private, no-store");
    const viewer = await viewerOf(c, services);
    const queue = await queueFor(database, viewer, await reads.queue());
    const inside =
      viewer !== undefined && hasRole(viewer, "administrator")
        ? {
            runners: await listRunners(database, viewer, services.runners),
            waiting: await listWaiting(database, viewer, SHOWN_WAITING),
          }
        : null;
    return c.html(await queuePage({ queue, inside, server: originOf(c, site), visit: visitOf(c, services, viewer) }));
  });
}
