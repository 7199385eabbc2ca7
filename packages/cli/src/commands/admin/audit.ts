import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { auditLines } from "../../render/people.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin audit",
  positionals: [],
  options: {
    before: { type: "string", value: "ID", help: "List entries before this number" },
    limit: { type: "string", short: "n", value: "N", default: "50", help: "Maximum number of entries" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Lists the actions of organisers, moderators and administrators, newest first."],
  run: async ({ before, limit, json, server }) => {
    const { client } = await connect(server);
    const page = {
      before: before === undefined ? undefined : positiveInteger(before, "the number of an entry"),
      limit: positiveInteger(limit, "a number of entries"),
    };
    const entries = await client.audit(page);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ entries })}\n`);
    else print(auditLines(sanitize(entries), width, style));
    return EXIT.passed;
  },
});
