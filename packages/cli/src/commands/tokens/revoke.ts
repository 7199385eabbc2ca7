import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "tokens revoke",
  positionals: ["ID"],
  options: { ...SERVER_OPTION },
  notes: ["The token stops working within one second."],
  run: async ({ server }, text) => {
    const id = positiveInteger(text, "the number of a token");
    const { client } = await connect(server);
    await client.revokeToken(id);
    terminalOf(process.stdout).print([`Token ${id} is revoked.`]);
    return EXIT.passed;
  },
});
