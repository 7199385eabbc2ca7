import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { queueLines, waitingLines } from "../render/queue.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

/** Maximum number of queued runs that are requested. */
const SHOWN_RUNS = 200;

export const command = defineCommand({
  name: "queue",
  about: "Shows what waits and runs on each target, the runners that are there, and how long a run waits.",
  positionals: [],
  options: {
    runs: { type: "boolean", help: "List the runs that wait, for administrators" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "The expected wait is that of a test which comes now from an account with nothing else there, with the interval that " +
      "holds it in 95 of 100 cases. It is a dash where too few have run, or nobody works for the target.",
  ],
  run: async ({ runs, json, server }) => {
    const { client } = await connect(server);
    const { print, width, style } = terminalOf(process.stdout);
    if (runs) {
      const waiting = await client.waiting(SHOWN_RUNS);
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
