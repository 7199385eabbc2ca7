import { defineRequest } from "../../request/request.ts";
import { queueLines } from "../../render/moderation.ts";

export const command = defineRequest({
  name: "admin quarantine",
  notes: ["Lists quarantined and flagged runs and unanswered appeals, oldest first."],
  request: ({ client }) => client.moderation.queue(),
  lines: (queue, { width, style }) => queueLines(queue, width, style),
});
