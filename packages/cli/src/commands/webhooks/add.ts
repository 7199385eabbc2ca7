import { NewWebhook, WEBHOOK_EVENTS, type BoardAddress } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
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
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Prints the secret that signs deliveries, only once. Keep it private: its holders can forge deliveries."],
  run: async ({ event, board, competition, json, server }, url) => {
    const parsed = NewWebhook.safeParse({
      url,
      events: event.length > 0 ? event : WEBHOOK_EVENTS,
      boards: board.map(parseBoard),
      competition: competition ?? null,
    });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new UsageError(`${String(issue?.path[0])}: ${issue?.message}`);
    }
    const { client } = await connect(server);
    const created = await client.webhooks.create(parsed.data);
    const { id } = created.webhook;
    if (json) process.stdout.write(`${jsonDocument(created)}\n`);
    else {
      terminalOf(process.stdout).print([
        `Webhook ${id} is created. Its secret, which is shown only once:`,
        "",
        `  ${created.secret}`,
        "",
        `To send a test event: kernelbot webhooks test ${id}`,
      ]);
    }
    return EXIT.passed;
  },
});

function parseBoard(text: string): BoardAddress {
  const [board = "", target = "", ...more] = text.split("/");
  if (target !== "" && more.length === 0) return { board, target };
  throw new UsageError(`--board must be NAME/TARGET, such as vectoradd/cpu, not ${JSON.stringify(text)}`);
}
