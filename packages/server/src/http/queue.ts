/** API endpoints and page of the queue. Anyone may see counts; administrators also see runs and runners. */
import { Queue, WaitingRunList } from "@kernelbot/core";
import { queuePage } from "@kernelbot/web";
import type { Hono } from "hono";
import { z } from "zod";
import { hasRole } from "../db/identity.ts";
import { queueFor } from "../queue/queue.ts";
import { listWaiting } from "../queue/waiting.ts";
import { listRunners } from "../runners/list.ts";
import { viewerOf } from "./auth.ts";
import { endpoint } from "./endpoint.ts";
import type { Faces, HttpEnv } from "./faces.ts";
import { wholeNumber } from "./input.ts";
import { originOf } from "./origin.ts";
import { visitOf } from "./visit.ts";

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
    async handle({ c, faces }) {
      const viewer = await viewerOf(c, faces);
      return c.json(await queueFor(faces.database, viewer, await faces.reads.queue()), 200, LIVE);
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
    async handle({ c, faces, identity, query }) {
      return c.json({ runs: await listWaiting(faces.database, identity, query.limit) }, 200, LIVE);
    },
  }),
];

export function mountQueuePage(app: Hono<HttpEnv>, faces: Faces): void {
  const { database, reads, site } = faces;

  app.get("/queue", async (c) => {
    c.header("cache-control", "private, no-store");
    const viewer = await viewerOf(c, faces);
    const queue = await queueFor(database, viewer, await reads.queue());
    const inside =
      viewer !== undefined && hasRole(viewer, "administrator")
        ? {
            runners: await listRunners(database, viewer, faces.runners),
            waiting: await listWaiting(database, viewer, SHOWN_WAITING),
          }
        : null;
    return c.html(await queuePage({ queue, inside, server: originOf(c, site), visit: visitOf(c, faces, viewer) }));
  });
}
