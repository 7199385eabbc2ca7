import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { defineRequest } from "../../request/request.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { defineGroup } from "../../command/group.ts";
import { inviteLinkLines } from "../../render/competitions.ts";
import { moment } from "../../render/format.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

const create = defineCommand({
  name: "admin invite-links create",
  positionals: ["COMPETITION"],
  options: {
    uses: { type: "string", short: "n", value: "N", help: "Number of people who can join, at most 10000 (required)" },
    days: { type: "string", value: "N", default: "14", help: "Days until it expires, at most 365" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Prints a URL that is shown only once. People who open it choose a name, or use the account that they have, and join.",
  ],
  run: async ({ uses, days, json, server }, competition) => {
    if (uses === undefined) throw new UsageError("--uses N is required: the number of people who can join");
    const maxUses = positiveInteger(uses, "a number of people");
    const { client } = await connect(server);
    const link = await client.createInviteLink(competition, {
      maxUses,
      days: positiveInteger(days, "a number of days"),
    });
    if (json) process.stdout.write(`${jsonDocument(link)}\n`);
    else {
      const { id, url, expiresAt } = sanitize(link);
      terminalOf(process.stderr).print([
        `Link ${id} of ${competition} admits ${maxUses === 1 ? "1 person" : `${maxUses} people`} until ${moment(expiresAt)}:`,
      ]);
      process.stdout.write(`${url}\n`);
    }
    return EXIT.passed;
  },
});

const list = defineRequest({
  name: "admin invite-links list",
  positionals: ["COMPETITION"],
  request: async ({ client }, _, competition) => ({ links: await client.inviteLinks(competition) }),
  lines: ({ links }, { width, style }) => inviteLinkLines(links, width, style),
});

const revoke = defineRequest({
  name: "admin invite-links revoke",
  positionals: ["COMPETITION", "ID"],
  request: async ({ client }, _, competition, id) => {
    const link = positiveInteger(id, "the number of a link");
    await client.revokeInviteLink(competition, link);
    return { competition, link };
  },
  lines: ({ link }) => [`Link ${link} is revoked. The people who joined by it remain members.`],
});

export const command = defineGroup({
  name: "admin invite-links",
  commands: {
    create: { about: "Create a link by which a class joins", load: () => Promise.resolve({ command: create }) },
    list: { about: "List the links of a competition and who joined", load: () => Promise.resolve({ command: list }) },
    revoke: { about: "Revoke a link; members remain", load: () => Promise.resolve({ command: revoke }) },
  },
});
