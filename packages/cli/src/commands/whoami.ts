import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument, listed } from "../output/text.ts";

export const command = defineCommand({
  name: "whoami",
  about: "Says whose your token is, and what it may do.",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async (options) => {
    const { server, client } = await connect(options.server);
    const account = await client.account();
    if (options.json) process.stdout.write(`${jsonDocument({ server, account })}\n`);
    else {
      const { name, roles, scopes, banReason } = sanitize(account);
      const { print, style } = terminalOf(process.stdout);
      print([
        `${style.bold(name)} at ${server}`,
        ...(roles.length > 0 ? [`Roles: ${listed(roles)}`] : []),
        `This token may: ${listed(scopes)}`,
        ...(banReason === null ? [] : [style.red(`The account is banned: ${banReason}. It can only read.`)]),
      ]);
    }
    return EXIT.passed;
  },
});
