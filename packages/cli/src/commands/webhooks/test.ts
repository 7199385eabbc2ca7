import { defineRequest } from "../../request/request.ts";
import { webhookId } from "./id.ts";

export const command = defineRequest({
  name: "webhooks test",
  positionals: ["ID"],
  request: ({ client }, _, text) => client.webhooks.test(webhookId(text)),
  lines: ({ id }) => [`A test event is queued. To see its delivery: kernelbot webhooks log ${id}`],
});
