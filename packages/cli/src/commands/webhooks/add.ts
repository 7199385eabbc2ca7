import { NewWebhook, WEBHOOK_EVENTS, type BoardAddress } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "webhooks add",
  about: "Registers an address that is told what happens from now on.",
  positionals: ["URL"],
  options: {
    event: {
      type: "string",
      short: "e",
      multiple: true,
      value: "EVENT",
      help: `${WEBHOOK_EVENTS.join(" or ")}; both unless given`,
    },
    board: {
      type: "string",
      short: "b",
      multiple: true,
      value: "NAME/TARGET",
      help: "A board whose first ten rows are told of, besides your own",
    },
    competition: { type: "string", value: "NAME", help: "For its organisers: all submissions and boards in it" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["The secret that deliveries are signed with is printed this once. Who has it can forge deliveries."],
  run: async ({ event, board, competition, json, server }, url) => {
    const asked = NewWebhook.safeParse({
      url,
      events: event.length > 0 ? event : WEBHOOK_EVENTS,
      boards: board.map(boardAddress),
      competition: competition ?? null,
    });
    if (!asked.success) {
      const [issue] = asked.error.issues;
      throw new UsageError(`${String(issue?.path[0])}: ${issue?.message}`);
    }
    const { client } = await connect(server);
    const created = await client.webhooks.create(asked.data);
    const { id } = created.webhook;
    if (json) process.stdout.write(`${jsonDocument(created)}\n`);
    else {
      terminalOf(process.stdout).print([
        `Webhook ${id} is registered. Its secret, which is shown this once:`,
        "",
        `  ${created.secret}`,
        "",
        `kernelbot webhooks test ${id} sends a test event.`,
      ]);
    }
    return EXIT.passed;
  },
});

function boardAddress(text: string): BoardAddress {
  const [board = "", target = "", ...more] = text.split("/");
  if (target !== "" && more.length === 0) return { board, target };
  throw new UsageError(`--board takes a board and its target, such as vectoradd/cpu, not ${JSON.stringify(text)}`);
}
