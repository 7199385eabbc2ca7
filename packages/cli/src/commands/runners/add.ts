import { hostname } from "node:os";
import { installRunnerCommand, MAX_TOKEN_DAYS, TOKEN_DAYS } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "runners add",
  positionals: ["TARGET..."],
  options: {
    label: {
      type: "string",
      value: "TEXT",
      help: "Name of the token, such as that of the machine (default: its targets)",
    },
    runners: { type: "string", value: "N", default: "1", help: "Number of runners that may join with the token" },
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
    "Creates a token that can only claim runs for these targets. Run the printed command on the machine with the hardware: " +
      "it installs the runner there, as a service where root runs it. A runner whose hardware does not match the target is rejected.",
    "The token is printed only once. Runners with the same token trust each other, so create one for each machine.",
  ],
  run: async ({ label, runners, days, json, server: option }, targets) => {
    const { client, server } = await connect(option);
    const made = await client.createToken({
      label: label ?? `runner ${targets.join(" ")}`.slice(0, 100),
      scopes: ["runner"],
      targets,
      runners: positiveInteger(runners, "a number of runners"),
      days: positiveInteger(days, "a number of days"),
    });
    if (json) {
      process.stdout.write(`${jsonDocument(made)}\n`);
      return EXIT.passed;
    }
    const { token, warnings } = sanitize(made);
    terminalOf(process.stderr).print(warnings.map((warning) => `Warning: ${warning}`));
    for (const target of targets) {
      process.stdout.write(`${installRunnerCommand({ server, token, target })}\n`);
    }
    if (/\/\/(localhost|127\.)/.test(server)) {
      terminalOf(process.stderr).print([
        `${server} works on this machine only: on other machines, use an address of ${hostname()}.`,
      ]);
    }
    return EXIT.passed;
  },
});
