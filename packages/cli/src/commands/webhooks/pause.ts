import { defineRequest } from "../../request/request.ts";
import { webhookId } from "./id.ts";

export const command = defineRequest({
  name: "webhooks pause",
  positionals: ["ID"],
  notes: ["While it is paused, no deliveries are sent or queued."],
  request: ({ client }, _, text) => client.webhooks.pause(webhookId(text)),
  lines: ({ id }) => [`Webhook ${id} is paused.`],
});
