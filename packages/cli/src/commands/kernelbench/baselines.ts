import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { table } from "../../render/table.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench baselines",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }) => {
    const baselines = await (await connect(server)).client.kernelbench.baselines();
    const { print, width, style } = terminalOf(process.stdout);
    const columns = [
      { title: "id" },
      { title: "models" },
      { title: "problems", side: "right" },
      { title: "hardware", shrinks: true },
    ] as const;
    const rows = sanitize(baselines).map(({ id, kind, problemCount, hardware }) => [
      id,
      kind,
      String(problemCount),
      hardware,
    ]);
    if (json) process.stdout.write(`${jsonDocument({ baselines })}\n`);
    else if (rows.length === 0) print(["This server has no stored baselines."]);
    else print(table(columns, rows, width, style));
    return EXIT.passed;
  },
});
