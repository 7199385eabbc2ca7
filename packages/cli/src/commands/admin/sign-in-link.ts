import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { moment } from "../../render/format.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin sign-in-link",
  about:
    "Makes an address that opens an account in a browser, once. Who has it is that account: give it to its owner alone.",
  positionals: ["NAME"],
  options: {
    new: { type: "boolean", help: "Make the account, which must not be there" },
    hours: { type: "string", value: "N", default: "24", help: "Until it expires, 168 at most" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ new: create, hours, json, server }, name) => {
    const { client } = await connect(server);
    const link = await client.signInLink({ name, create, hours: positiveInteger(hours, "a number of hours") });
    if (json) process.stdout.write(`${jsonDocument(link)}\n`);
    else {
      const { url, account, expiresAt } = sanitize(link);
      terminalOf(process.stderr).print([`Opens the account ${account.name} once, until ${moment(expiresAt)}:`]);
      process.stdout.write(`${url}\n`);
    }
    return EXIT.passed;
  },
});
