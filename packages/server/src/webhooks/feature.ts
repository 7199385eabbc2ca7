import type { Feature } from "../feature.ts";
import { WEBHOOKS_TABLES } from "./personal-data.ts";
import { webhookPages } from "./routes/webhook-pages.ts";
import { webhookEndpoints } from "./routes/webhooks.ts";
import { startWebhooks } from "./service.ts";

export const webhooks: Feature = {
  name: "webhooks",
  personalData: WEBHOOKS_TABLES,
  otherTables: ["webhook_outbox"],
  endpoints: webhookEndpoints,
  pages: webhookPages,
  start: ({ database, options }) => ({ stop: startWebhooks(database, { allowPrivate: options.privateWebhooks }) }),
};
