import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { baselineChoice, BASELINE_OPTION } from "../../kernelbench/baseline-option.ts";
import { printEntry } from "../../kernelbench/print-entry.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineCommand({
  name: "kernelbench show",
  positionals: ["ID"],
  options: {
    failed: { type: "boolean", help: "List the failed kernels with their messages" },
    ...BASELINE_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ failed, baseline, json, server }, text) => {
    const id = entryId(text);
    const choice = baselineChoice(baseline);
    const connection = await connect(server);
    const { kernelbench } = connection.client;
    const entry = await kernelbench.entry(id, choice);
    const stored = choice.kind === "stored" ? (await kernelbench.baseline(choice.id)).times : [];
    printEntry(connection, entry, { json, failed, stored });
    return EXIT.passed;
  },
});
