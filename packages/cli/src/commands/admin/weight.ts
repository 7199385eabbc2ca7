import { WeightChange } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin weight",
  about: "Gives an account another share of the machines: with weight 2 it has twice that of an ordinary account.",
  positionals: ["NAME", "WEIGHT"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["A weight is from 0.01 to 100; 1 is an ordinary account's. It counts from the next run that is claimed."],
  run: async ({ json, server }, name, weight) => {
    const change = WeightChange.safeParse({ weight: Number(weight) });
    if (!change.success)
      throw new UsageError(`a weight is a number from 0.01 to 100, and not ${JSON.stringify(weight)}`);
    const { client } = await connect(server);
    const standing = await client.changeWeight(name, change.data);
    if (json) process.stdout.write(`${jsonDocument(standing)}\n`);
    else terminalOf(process.stdout).print([`${sanitize(standing.account.name)} has weight ${standing.weight}`]);
    return EXIT.passed;
  },
});
