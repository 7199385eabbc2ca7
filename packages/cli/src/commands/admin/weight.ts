import { WeightChange } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin weight",
  positionals: ["NAME", "WEIGHT"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "WEIGHT is a number from 0.01 to 100; the default is 1, and an account with weight 2 gets twice the share. Applies from " +
      "the next claimed run.",
  ],
  run: async ({ json, server }, name, weight) => {
    const change = WeightChange.safeParse({ weight: Number(weight) });
    if (!change.success)
      throw new UsageError(`WEIGHT must be a number from 0.01 to 100, not ${JSON.stringify(weight)}`);
    const { client } = await connect(server);
    const changed = await client.changeWeight(name, change.data);
    if (json) process.stdout.write(`${jsonDocument(changed)}\n`);
    else terminalOf(process.stdout).print([`${sanitize(changed.account.name)} has weight ${changed.weight}`]);
    return EXIT.passed;
  },
});
