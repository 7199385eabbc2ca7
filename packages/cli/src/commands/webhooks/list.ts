import { defineRequest } from "../../request/request.ts";
import { webhookLines } from "../../render/webhooks.ts";

export const command = defineRequest({
  name: "webhooks list",
  request: async ({ client }) => ({ webhooks: await client.webhooks.list() }),
  lines: ({ webhooks }, { width, style }) => webhookLines(webhooks, width, style),
});
