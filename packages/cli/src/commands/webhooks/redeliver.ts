import { defineRequest } from "../../request/request.ts";
import { webhookId } from "./id.ts";

export const command = defineRequest({
  name: "webhooks redeliver",
  positionals: ["ID", "DELIVERY"],
  notes: ["Sends it with the same delivery id, whether it succeeded or failed before."],
  request: ({ client }, _, text, deliveryId) => client.webhooks.redeliver(webhookId(text), deliveryId),
  lines: ({ id }) => [`Delivery ${id} is queued.`],
});
