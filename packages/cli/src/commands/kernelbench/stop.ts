import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { progressWords } from "../../render/entries.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineCommand({
  name: "kernelbench stop",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Cancels unfinished kernels and keeps finished results. kernelbot kernelbench resume queues them again."],
  run: async ({ json, server }, text) => {
    const id = entryId(text);
    const { client } = await connect(server);
    const entry = await client.kernelbench.stop(id);
    const { print } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(entry)}\n`);
    else
      print([
        `Entry ${id} is stopped: ${progressWords(entry.progress)}. To resume: kernelbot kernelbench resume ${id}`,
      ]);
    return EXIT.passed;
  },
});
