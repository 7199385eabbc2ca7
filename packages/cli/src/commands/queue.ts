import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { queueLines, waitingLines } from "../render/queue.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

/** Maximum number of queued runs that are requested. */
const MAX_RUNS = 200;

export const command = defineCommand({
  name: "queue",
  positionals: [],
  options: {
    runs: { type: "boolean", help: "List the queued runs; for administrators" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "The expected wait is that of a test submitted now by an account without other queued runs, with its 95 % prediction " +
      "interval. It is a dash if too few runs have finished to estimate it, or no runner is online.",
  ],
  run: async ({ runs, json, server }) => {
    const { client } = await connect(server);
    const { print, width, style } = terminalOf(process.stdout);
    if (runs) {
      const waiting = await client.waiting(MAX_RUNS);
      if (json) process.stdout.write(`${jsonDocument({ runs: waiting })}\n`);
      else print(waitingLines(sanitize(waiting), width, style));
      return EXIT.passed;
    }
    const queue = await client.queue();
    if (json) process.stdout.write(`${jsonDocument(queue)}\n`);
    else print(queueLines(sanitize(queue), width, style));
    return EXIT.passed;
  },
});
