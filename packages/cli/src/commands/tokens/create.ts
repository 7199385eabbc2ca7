import { MAX_TOKEN_DAYS, SCOPES, TOKEN_DAYS } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { scopesOf } from "../../command/scopes.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "tokens create",
  about: "Makes a token that may do no more than you, and prints it alone.",
  positionals: ["LABEL"],
  options: {
    scopes: { type: "string", value: "LIST", default: "submit,read", help: "What it may do, by commas" },
    target: { type: "string", multiple: true, value: "NAME", help: "For scope runner: a target to claim runs for" },
    days: {
      type: "string",
      value: "N",
      default: String(TOKEN_DAYS),
      help: `Until it expires, ${MAX_TOKEN_DAYS} at most`,
    },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [`The scopes are ${SCOPES.join(", ")}; a token for a runner is for administrators to make.`],
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
