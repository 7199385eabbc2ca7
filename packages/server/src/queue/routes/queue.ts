/** API endpoints and page of the queue. Anyone may see counts; administrators also see runs and runners. */
import { Queue, WaitingRunList } from "@kernelbot/core";
import { queuePage } from "@kernelbot/web";
import { z } from "zod";
import { hasRole } from "../../auth/identity.ts";
import { queueFor } from "../queue.ts";
import { listWaiting } from "../queued-runs.ts";
import { listRunners } from "../../runners/list.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { wholeNumber } from "../../http/input.ts";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";

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

export const queuePages: readonly PageRoute[] = [
  page({
    path: "/queue",
    access: "viewer",
    cacheControl: "private, no-store",
    async handle({ c, services, identity, visit }) {
      const { database, reads, site } = services;
      const queue = await queueFor(database, identity, await reads.queue());
      const inside =
        identity !== undefined && hasRole(identity, "administrator")
          ? {
              runners: await listRunners(database, identity, services.runners),
              waiting: await listWaiting(database, identity, SHOWN_WAITING),
            }
          : null;
      return queuePage({ queue, inside, server: originOf(c, site), visit });
    },
  }),
];
