import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { progressWords } from "../../render/entries.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineCommand({
  name: "kernelbench resume",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, text) => {
    const id = entryId(text);
    const { client } = await connect(server);
    const entry = await client.kernelbench.resume(id);
    const { print } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(entry)}\n`);
    else
      print([
        `Entry ${id} is resumed: ${progressWords(entry.progress)}. To watch it: kernelbot kernelbench watch ${id}`,
      ]);
    return EXIT.passed;
  },
});
