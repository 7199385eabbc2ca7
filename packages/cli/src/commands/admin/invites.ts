import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { defineGroup } from "../../command/group.ts";
import { inviteLines } from "../../render/competitions.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const create = defineCommand({
  name: "admin invites create",
  about: "Makes invite codes, each for one account, and prints them one a line.",
  positionals: [],
  options: {
    competitions: { type: "string", short: "c", value: "NAMES", help: "What each code opens, separated by commas" },
    count: { type: "string", short: "n", value: "N", default: "1", help: "How many codes" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ competitions = "", count, json, server }) => {
    const names = competitions.split(",").flatMap((name) => name.trim() || []);
    if (names.length === 0) throw new UsageError("say which competitions: --competitions NAME,NAME");
    if (!/^[1-9]\d{0,4}$/.test(count)) throw new UsageError(`--count takes a number, not ${JSON.stringify(count)}`);
    const { client } = await connect(server);
    const invites = await client.createInvites({ competitions: names, count: Number(count) });
    if (json) process.stdout.write(`${jsonDocument(invites)}\n`);
    else terminalOf(process.stdout).print(invites.codes);
    return EXIT.passed;
  },
});

const list = defineCommand({
  name: "admin invites list",
  about: "Lists the invite codes of a competition, and who claimed them.",
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
  about: "Ends an invite code, and the access of who claimed it.",
  positionals: ["CODE"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, code) => {
    const { client } = await connect(server);
    const revoked = await client.revokeInvite(code);
    const ended = revoked.wasClaimed ? "The code is revoked, and the access by it has ended." : "The code is revoked.";
    if (json) process.stdout.write(`${jsonDocument(revoked)}\n`);
    else terminalOf(process.stdout).print([ended]);
    return EXIT.passed;
  },
});

export const command = defineGroup({
  name: "admin invites",
  about: "Makes, lists and revokes the invite codes of the competitions that you organise.",
  commands: {
    create: { about: "make codes", load: () => Promise.resolve({ command: create }) },
    list: { about: "list codes and who claimed them", load: () => Promise.resolve({ command: list }) },
    revoke: { about: "end a code and the access by it", load: () => Promise.resolve({ command: revoke }) },
  },
});
