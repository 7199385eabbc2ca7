import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { defineGroup } from "../../command/group.ts";
import { inviteLines } from "../../render/competitions.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const create = defineCommand({
  name: "admin invites create",
  positionals: [],
  options: {
    competitions: {
      type: "string",
      short: "c",
      value: "NAMES",
      help: "Competitions that each code admits to, separated by commas (required)",
    },
    count: { type: "string", short: "n", value: "N", default: "1", help: "Number of codes" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ competitions = "", count, json, server }) => {
    const names = competitions.split(",").flatMap((name) => name.trim() || []);
    if (names.length === 0) throw new UsageError("--competitions NAME,... is required");
    if (!/^[1-9]\d{0,4}$/.test(count))
      throw new UsageError(`--count must be an integer from 1 to 99999, not ${JSON.stringify(count)}`);
    const { client } = await connect(server);
    const invites = await client.createInvites({ competitions: names, count: Number(count) });
    if (json) process.stdout.write(`${jsonDocument(invites)}\n`);
    else terminalOf(process.stdout).print(invites.codes);
    return EXIT.passed;
  },
});

const list = defineCommand({
  name: "admin invites list",
  positionals: ["COMPETITION"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, competition) => {
    const { client } = await connect(server);
    const invites = await client.invites(competition);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ invites })}\n`);
    else print(inviteLines(sanitize(invites), width, style));
    return EXIT.passed;
  },
});

const revoke = defineCommand({
  name: "admin invites revoke",
  positionals: ["CODE"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, code) => {
    const { client } = await connect(server);
    const revoked = await client.revokeInvite(code);
    const ended = revoked.wasClaimed ? "The code and the access that it gave are revoked." : "The code is revoked.";
    if (json) process.stdout.write(`${jsonDocument(revoked)}\n`);
    else terminalOf(process.stdout).print([ended]);
    return EXIT.passed;
  },
});

export const command = defineGroup({
  name: "admin invites",
  commands: {
    create: { about: "Create invite codes, each for one account", load: () => Promise.resolve({ command: create }) },
    list: { about: "List the invite codes of a competition", load: () => Promise.resolve({ command: list }) },
    revoke: {
      about: "Revoke an invite code and the access that it gave",
      load: () => Promise.resolve({ command: revoke }),
    },
  },
});
