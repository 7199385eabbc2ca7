import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { accountLines } from "../../render/people.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin accounts",
  positionals: [],
  options: {
    after: { type: "string", value: "NAME", help: "List accounts after this name" },
    limit: { type: "string", short: "n", value: "N", default: "100", help: "Maximum number of accounts" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ after, limit, json, server }) => {
    const { client } = await connect(server);
    const accounts = await client.accounts({ after, limit: positiveInteger(limit, "a number of accounts") });
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ accounts })}\n`);
    else print(accountLines(sanitize(accounts), width, style));
    return EXIT.passed;
  },
});
