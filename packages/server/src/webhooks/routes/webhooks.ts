import { api } from "@kernelbot/api";
import { listDeliveries, redeliver } from "../log.ts";
import { createWebhook, deleteWebhook, listWebhooks, pauseWebhook, resumeWebhook, testWebhook } from "../webhooks.ts";
import { endpoint } from "../../http/endpoint.ts";

const NO_STORE = { "cache-control": "private, no-store" };

export const webhookEndpoints = [
  endpoint(api.webhooks.list, async ({ c, services, identity }) => {
    return c.json({ webhooks: await listWebhooks(services.database, identity) }, 200, NO_STORE);
  }),

  endpoint(api.webhooks.create, async ({ c, services, identity, body }) => {
    const rules = { allowPrivate: services.privateWebhooks };
    return c.json(await createWebhook(services.database, identity, body, rules), 201, NO_STORE);
  }),

  endpoint(api.webhooks.remove, async ({ c, services, identity, params }) => {
    await deleteWebhook(services.database, identity, params.id);
    return c.body(null, 204);
  }),

  endpoint(api.webhooks.pause, async ({ c, services, identity, params }) => {
    return c.json(await pauseWebhook(services.database, identity, params.id));
  }),

  endpoint(api.webhooks.resume, async ({ c, services, identity, params }) => {
    return c.json(await resumeWebhook(services.database, identity, params.id));
  }),

  endpoint(api.webhooks.test, async ({ c, services, identity, params }) => {
    return c.json(await testWebhook(services.database, identity, params.id), 202);
  }),

  endpoint(api.webhooks.deliveries, async ({ c, services, identity, params, query }) => {
    return c.json({ deliveries: await listDeliveries(services.database, identity, params.id, query) }, 200, NO_STORE);
  }),

  endpoint(api.webhooks.redeliver, async ({ c, services, identity, params }) => {
    return c.json(await redeliver(services.database, identity, params.id, params.delivery), 202);
  }),
];
