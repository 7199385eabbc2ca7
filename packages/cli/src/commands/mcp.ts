import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { readSettings } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";

export const command = defineCommand({
  name: "mcp",
  positionals: [],
  options: { ...SERVER_OPTION },
  notes: [
    "Speaks the Model Context Protocol on standard input and output. Configure it in the agent as the command kernelbot " +
      "with the argument mcp.",
    "Public problems and leaderboards need no token; everything else needs kernelbot login or KERNELBOT_TOKEN.",
  ],
  run: async ({ server }) => {
    await readSettings(server); // Reports an invalid address at startup, not in the first tool call.
    const { serveMcp } = await import("../mcp/server.ts");
    await serveMcp(server);
    return EXIT.passed;
  },
});
