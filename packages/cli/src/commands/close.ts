import { defineRequest } from "../request/request.ts";
import { requireConfirmation } from "../command/confirmation.ts";
import { moment } from "../render/format.ts";

export const command = defineRequest({
  name: "close",
  positionals: ["NAME"],
  options: {
    yes: { type: "boolean", short: "y", help: "Do not ask for confirmation" },
  },
  notes: [
    "For organisers of the competition, and administrators. Closing cannot be undone: no more ranked submissions are " +
      "accepted, and receipts reveal their seeds. Runs that are queued or running still finish, and the modes test and " +
      "benchmark stay available.",
  ],
  request: async ({ client }, { yes }, name) => {
    if (!yes)
      await requireConfirmation(
        `Close the leaderboards of ${JSON.stringify(name)} permanently?`,
        "closing cannot be undone",
      );
    return client.closeProblem(name);
  },
  lines: ({ name, closedAt }) => [`${name} was closed at ${moment(closedAt)}. Its receipts now reveal their seeds.`],
});
