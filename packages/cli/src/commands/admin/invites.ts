import { defineRequest } from "../../request/request.ts";
import { UsageError } from "../../command/exit.ts";
import { defineGroup } from "../../command/group.ts";
import { inviteLines } from "../../render/competitions.ts";

const create = defineRequest({
  name: "admin invites create",
  options: {
    competitions: {
      type: "string",
      short: "c",
      value: "NAMES",
      help: "Competitions that each code admits to, separated by commas (required)",
    },
    count: { type: "string", short: "n", value: "N", default: "1", help: "Number of codes" },
  },
  request: ({ client }, { competitions = "", count }) => {
    const names = competitions.split(",").flatMap((name) => name.trim() || []);
    if (names.length === 0) throw new UsageError("--competitions NAME,... is required");
    if (!/^[1-9]\d{0,4}$/.test(count))
      throw new UsageError(`--count must be an integer from 1 to 99999, not ${JSON.stringify(count)}`);
    return client.createInvites({ competitions: names, count: Number(count) });
  },
  lines: ({ codes }) => codes,
});

const list = defineRequest({
  name: "admin invites list",
  positionals: ["COMPETITION"],
  request: async ({ client }, _, competition) => ({ invites: await client.invites(competition) }),
  lines: ({ invites }, { width, style }) => inviteLines(invites, width, style),
});

const revoke = defineRequest({
  name: "admin invites revoke",
  positionals: ["CODE"],
  request: ({ client }, _, code) => client.revokeInvite(code),
  lines: ({ wasClaimed }) => [
    wasClaimed ? "The code and the access that it gave are revoked." : "The code is revoked.",
  ],
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
