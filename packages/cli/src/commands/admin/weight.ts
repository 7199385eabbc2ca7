import { WeightChange } from "@kernelbot/core";
import { defineRequest } from "../../request/request.ts";
import { UsageError } from "../../command/exit.ts";

export const command = defineRequest({
  name: "admin weight",
  positionals: ["NAME", "WEIGHT"],
  notes: [
    "WEIGHT is a number from 0.01 to 100; the default is 1, and an account with weight 2 gets twice the share. Applies from " +
      "the next claimed run.",
  ],
  request: ({ client }, _, name, weight) => {
    const change = WeightChange.safeParse({ weight: Number(weight) });
    if (change.success) return client.changeWeight(name, change.data);
    throw new UsageError(`WEIGHT must be a number from 0.01 to 100, not ${JSON.stringify(weight)}`);
  },
  lines: ({ account, weight }) => [`${account.name} has weight ${weight}`],
});
