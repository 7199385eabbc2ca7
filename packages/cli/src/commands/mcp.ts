import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { readSettings } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";

export const command = defineCommand({
  name: "mcp",
  about: "Serves agents over the Model Context Protocol, on standard input and output.",
  positionals: [],
  options: { ...SERVER_OPTION },
  notes: [
    "A program starts it, not a person. Its configuration is the command `kernelbot` with the argument `mcp`.",
    "Problems and boards need no token; for the rest kernelbot login, or KERNELBOT_TOKEN.",
  ],
  run: async ({ server }) => {
    await readSettings(server); // Reports an invalid address at startup, not in the first tool call.
    const { serveMcp } = await import("../mcp/server.ts");
    await serveMcp(server);
    return EXIT.passed;
  },
});
