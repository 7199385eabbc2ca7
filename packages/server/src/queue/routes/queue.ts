/** API endpoints and page of the queue. Anyone may see counts; administrators also see runs and runners. */
import { api } from "@kernelbot/api";
import { queuePage } from "@kernelbot/web";
import { hasRole } from "../../auth/identity.ts";
import { queueFor } from "../queue.ts";
import { listWaiting } from "../queued-runs.ts";
import { listRunners } from "../../runners/list.ts";
import { viewerOf } from "../../http/identify.ts";
import { endpoint } from "../../http/endpoint.ts";
import { originOf } from "../../http/origin.ts";
import { page, type PageRoute } from "../../http/page.ts";

const LIVE = { "cache-control": "private, no-store" };

/** Number of queued runs on the page. */
const SHOWN_WAITING = 100;

export const queueEndpoints = [
  endpoint(api.queue.get, async ({ c, services }) => {
    const viewer = await viewerOf(c, services);
    return c.json(await queueFor(services.database, viewer, await services.reads.queue()), 200, LIVE);
  }),

  endpoint(api.queue.runs, async ({ c, services, identity, query }) => {
    return c.json({ runs: await listWaiting(services.database, identity, query.limit) }, 200, LIVE);
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
