import { defineRequest } from "../../request/request.ts";
import { webhookId } from "./id.ts";

export const command = defineRequest({
  name: "webhooks resume",
  positionals: ["ID"],
  notes: ["Sends queued deliveries, and those of new events."],
  request: ({ client }, _, text) => client.webhooks.resume(webhookId(text)),
  lines: ({ id }) => [`Webhook ${id} is resumed.`],
});
