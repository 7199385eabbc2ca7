import { NewWebhook, WEBHOOK_EVENTS, type BoardAddress } from "@kernelbot/core";
import { defineRequest } from "../../request/request.ts";
import { UsageError } from "../../command/exit.ts";

export const command = defineRequest({
  name: "webhooks add",
  positionals: ["URL"],
  options: {
    event: {
      type: "string",
      short: "e",
      multiple: true,
      value: "EVENT",
      help: `Event to send: ${WEBHOOK_EVENTS.join(" or ")} (default: both)`,
    },
    board: {
      type: "string",
      short: "b",
      multiple: true,
      value: "NAME/TARGET",
      help: "Leaderboard whose top 10 entries are included, in addition to your own",
    },
    competition: {
      type: "string",
      value: "NAME",
      help: "All submissions and leaderboards of a competition; for its organisers",
    },
  },
  notes: ["Prints the secret that signs deliveries, only once. Keep it private: its holders can forge deliveries."],
  request: ({ client }, { event, board, competition }, url) => {
    const parsed = NewWebhook.safeParse({
      url,
      events: event.length > 0 ? event : WEBHOOK_EVENTS,
      boards: board.map(parseBoard),
      competition: competition ?? null,
    });
    if (parsed.success) return client.webhooks.create(parsed.data);
    const [issue] = parsed.error.issues;
    throw new UsageError(`${String(issue?.path[0])}: ${issue?.message}`);
  },
  lines: ({ webhook: { id }, secret }) => [
    `Webhook ${id} is created. Its secret, which is shown only once:`,
    "",
    `  ${secret}`,
    "",
    `To send a test event: kernelbot webhooks test ${id}`,
  ],
});

function parseBoard(text: string): BoardAddress {
  const [board = "", target = "", ...more] = text.split("/");
  if (target !== "" && more.length === 0) return { board, target };
  throw new UsageError(`--board must be NAME/TARGET, such as vectoradd/cpu, not ${JSON.stringify(text)}`);
}
