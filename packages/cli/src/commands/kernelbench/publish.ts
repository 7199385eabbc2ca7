import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { entryPage } from "../../kernelbench/print-entry.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineCommand({
  name: "kernelbench publish",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Makes its metrics, results and kernels public. Publishing cannot be undone."],
  run: async ({ json, server }, text) => {
    const id = entryId(text);
    const connection = await connect(server);
    const entry = await connection.client.kernelbench.publish(id);
    const { print } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(entry)}\n`);
    else print([`Entry ${id} is published: ${entryPage(connection, id)}`]);
    return EXIT.passed;
  },
});
