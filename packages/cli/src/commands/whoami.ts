import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument, listed } from "../output/text.ts";

export const command = defineCommand({
  name: "whoami",
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
        `Token scopes: ${listed(scopes)}`,
        ...(banReason === null ? [] : [style.red(`The account is banned: ${banReason}. It can only read.`)]),
      ]);
    }
    return EXIT.passed;
  },
});
