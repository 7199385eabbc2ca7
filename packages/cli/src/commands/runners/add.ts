import { hostname } from "node:os";
import { MAX_TOKEN_DAYS, TOKEN_DAYS } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "runners add",
  about:
    "Makes a token that may claim for these targets and do nothing else, and prints the command that starts a runner.",
  positionals: ["TARGET..."],
  options: {
    label: { type: "string", value: "TEXT", help: "Which machine it is for (default: its targets)" },
    runners: { type: "string", value: "N", default: "1", help: "How many runners may join with it" },
    days: {
      type: "string",
      value: "N",
      default: String(TOKEN_DAYS),
      help: `Until it expires, ${MAX_TOKEN_DAYS} at most`,
    },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "The command is run on the machine with the hardware, in a checkout of KernelBot. A runner whose hardware is not the " +
      "target is refused. The token is told this once; runners with one token trust each other, so give each machine its own.",
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
    const { token } = sanitize(made);
    for (const target of targets) {
      process.stdout.write(
        `KERNELBOT_RUNNER_TOKEN=${token} npx kernelbot-runner --server ${server} --target ${target}\n`,
      );
    }
    if (/\/\/(localhost|127\.)/.test(server)) {
      terminalOf(process.stderr).print([
        `${server} is this machine alone: elsewhere, write the address by which ${hostname()} is reached.`,
      ]);
    }
    return EXIT.passed;
  },
});
