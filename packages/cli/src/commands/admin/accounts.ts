import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { accountLines } from "../../render/people.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin accounts",
  about: "Lists the accounts by their names.",
  positionals: [],
  options: {
    after: { type: "string", value: "NAME", help: "Go on after this one" },
    limit: { type: "string", short: "n", value: "N", default: "100", help: "How many" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ after, limit, json, server }) => {
    const { client } = await connect(server);
    const found = await client.accounts({ after, limit: positiveInteger(limit, "a number of accounts") });
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ accounts: found })}\n`);
    else print(accountLines(sanitize(found), width, style));
    return EXIT.passed;
  },
});
