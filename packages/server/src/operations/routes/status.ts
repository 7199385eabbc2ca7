/** Page and endpoint of the status of the service. */
import { api } from "@kernelbot/api";
import { statusPage } from "@kernelbot/web";
import type { Viewer } from "../../auth/visibility.ts";
import { endpoint } from "../../http/endpoint.ts";
import { viewerOf } from "../../http/identify.ts";
import { page, type PageRoute } from "../../http/page.ts";
import { queueFor } from "../../queue/queue.ts";
import type { Services } from "../../services.ts";
import { readStatus } from "../status.ts";

async function statusFor({ database, health, reads }: Services, viewer: Viewer) {
  return readStatus(database, health, await queueFor(database, viewer, await reads.queue()));
}

export const statusEndpoints = [
  endpoint(api.queue.status, async ({ c, services }) => {
    const status = await statusFor(services, await viewerOf(c, services));
    return c.json(status, 200, { "cache-control": "private, no-store" });
  }),
];

export const statusPages: readonly PageRoute[] = [
  page({
    path: "/status",
    access: "viewer",
    cacheControl: "private, no-store",
    async handle({ services, identity, visit }) {
      return statusPage({ status: await statusFor(services, identity), visit });
    },
  }),
];
