import { MAX_TOKEN_DAYS, SCOPES, TOKEN_DAYS } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { scopesOf } from "../../command/scopes.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "tokens create",
  positionals: ["LABEL"],
  options: {
    scopes: { type: "string", value: "LIST", default: "submit,read", help: "Scopes, separated by commas" },
    target: { type: "string", multiple: true, value: "NAME", help: "With scope runner: target to claim runs for" },
    days: {
      type: "string",
      value: "N",
      default: String(TOKEN_DAYS),
      help: `Days until it expires, at most ${MAX_TOKEN_DAYS}`,
    },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    `Prints only the token, and only once. Scopes: ${SCOPES.join(", ")}. A token allows no more than its account may do; ` +
      "only administrators can create tokens with scope runner.",
  ],
  run: async ({ scopes, target, days, json, server }, label) => {
    const { client } = await connect(server);
    const request = {
      label,
      scopes: scopesOf(scopes),
      targets: target,
      days: positiveInteger(days, "a number of days"),
    };
    const made = await client.createToken(request);
    process.stdout.write(json ? `${jsonDocument(made)}\n` : `${sanitize(made.token)}\n`);
    return EXIT.passed;
  },
});
