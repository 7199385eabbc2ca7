import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { moment } from "../../render/format.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin sign-in-link",
  positionals: ["NAME"],
  options: {
    new: { type: "boolean", help: "Create the account, which must not exist yet" },
    hours: { type: "string", value: "N", default: "24", help: "Hours until it expires, at most 168" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Prints a URL that signs its first visitor in to the account, once. Send it only to the owner of the account.",
  ],
  run: async ({ new: create, hours, json, server }, name) => {
    const { client } = await connect(server);
    const link = await client.signInLink({ name, create, hours: positiveInteger(hours, "a number of hours") });
    if (json) process.stdout.write(`${jsonDocument(link)}\n`);
    else {
      const { url, account, expiresAt } = sanitize(link);
      terminalOf(process.stderr).print([
        `Signs in to the account ${account.name} once; expires at ${moment(expiresAt)}:`,
      ]);
      process.stdout.write(`${url}\n`);
    }
    return EXIT.passed;
  },
});
