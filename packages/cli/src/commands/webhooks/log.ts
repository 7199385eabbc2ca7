import { defineRequest } from "../../request/request.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { deliveryLines } from "../../render/webhooks.ts";
import { webhookId } from "./id.ts";

export const command = defineRequest({
  name: "webhooks log",
  positionals: ["ID"],
  options: {
    limit: { type: "string", short: "n", value: "N", default: "20", help: "Maximum number of deliveries, at most 200" },
  },
  request: async ({ client }, { limit }, text) => ({
    deliveries: await client.webhooks.deliveries(webhookId(text), positiveInteger(limit, "a number of deliveries")),
  }),
  lines: ({ deliveries }, { width, style }) => deliveryLines(deliveries, new Date(), width, style),
});
