import { defineRequest } from "../request/request.ts";
import { UsageError } from "../command/exit.ts";

export const command = defineRequest({
  name: "anonymity",
  positionals: ["[on|off]"],
  notes: [
    "Without an argument, prints the setting. on publishes your submissions under a pseudonym, off under your name.",
    "The setting applies to data published from now on. kernelbot licence ID LICENCE --anonymous or --named overrides it " +
      "for one submission. Scores and times are published unchanged, so comparing them with a public leaderboard can " +
      "still reveal who you are.",
  ],
  request: async ({ client }, _, word) => {
    if (word !== undefined && word !== "on" && word !== "off")
      throw new UsageError(`the argument must be on or off, not ${JSON.stringify(word)}`);
    const { anonymous } =
      word === undefined ? await client.anonymity() : await client.chooseAnonymity({ anonymous: word === "on" });
    return { anonymous };
  },
  lines: ({ anonymous }) => {
    const how = anonymous ? "shows a pseudonym in place of your name" : "shows your name";
    return [`Published data ${how}, except for submissions with their own setting.`];
  },
});
