import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT } from "../../exit.ts";
import { terminalOf } from "../../terminal.ts";
import { cleaned, jsonDocument, oneLine } from "../../text.ts";
import { needed, REASON_OPTION } from "./reason.ts";

export const command = defineCommand({
  name: "admin ban",
  about:
    "Bans an account with all its identities: it may read and appeal, what waits of it is cancelled, and it is on no board.",
  positionals: ["ACCOUNT"],
  options: { ...REASON_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ reason, json, server }, account) => {
    const why = needed(reason);
    const { client } = await connect(server);
    const standing = await client.moderation.ban(account, why);
    if (json) process.stdout.write(`${jsonDocument(standing)}\n`);
    else terminalOf(process.stdout).print([`${oneLine(cleaned(standing.account.name))} is banned.`]);
    return EXIT.passed;
  },
});
