import { createClient } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { readSettings, storeSettings } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";

export const command = defineCommand({
  name: "logout",
  positionals: [],
  options: { ...SERVER_OPTION },
  notes: ["Does not affect a token in KERNELBOT_TOKEN; kernelbot tokens revoke revokes any of yours."],
  run: async (options) => {
    const { server, token } = await readSettings(options.server, { ...process.env, KERNELBOT_TOKEN: "" });
    if (token === undefined) throw new UsageError(`you are not signed in to ${server}`);
    const { print } = terminalOf(process.stdout);
    try {
      await createClient({ server, token }).signOut();
      print([`Signed out of ${server}`]);
    } catch (error) {
      // A token that is already invalid needs no revocation.
      if (!(error instanceof KernelBotError && error.code === "unauthorized")) throw error;
      print(["The token had already expired; deleted"]);
    }
    await storeSettings({ server });
    return EXIT.passed;
  },
});
