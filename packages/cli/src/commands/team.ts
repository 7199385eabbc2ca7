import type { Team } from "@kernelbot/core";
import { defineRequest } from "../request/request.ts";
import { UsageError } from "../command/exit.ts";
import { defineGroup } from "../command/group.ts";
import { teamLines } from "../render/competitions.ts";

const COMPETITION_OPTION = {
  competition: { type: "string", short: "c", value: "NAME", help: "Competition of the team (required)" },
} as const;

function requireCompetition({ competition }: { competition: string | undefined }): string {
  if (competition === undefined) throw new UsageError("--competition NAME is required");
  return competition;
}

const make = defineRequest({
  name: "team make",
  positionals: ["NAME"],
  options: COMPETITION_OPTION,
  notes: [
    "Creates a team with you as its member and prints the code with which others join. Submissions of members count for the " +
      "team, which has one row on each leaderboard. You can leave until you have submitted in mode ranked.",
  ],
  request: ({ client }, options, name) => client.makeTeam(requireCompetition(options), name),
  lines: teamSummary,
});

const join = defineRequest({
  name: "team join",
  positionals: ["CODE"],
  options: COMPETITION_OPTION,
  notes: ["Your submissions from now on count for the team; your earlier ones no longer rank."],
  request: ({ client }, options, code) => client.joinTeam(requireCompetition(options), code),
  lines: teamSummary,
});

const rename = defineRequest({
  name: "team rename",
  positionals: ["NAME"],
  options: COMPETITION_OPTION,
  request: ({ client }, options, name) => client.renameTeam(requireCompetition(options), name),
  lines: teamSummary,
});

const leave = defineRequest({
  name: "team leave",
  options: COMPETITION_OPTION,
  notes: ["You can leave until you have submitted in mode ranked."],
  request: async ({ client }, options) => {
    const competition = requireCompetition(options);
    await client.leaveTeam(competition);
    return { competition };
  },
  lines: ({ competition }) => [`You have left your team in ${competition}.`],
});

const show = defineRequest({
  name: "team show",
  options: COMPETITION_OPTION,
  notes: ["Shows the join code of your own team only."],
  request: async ({ client }, options) => ({ teams: await client.teams(requireCompetition(options)) }),
  lines: ({ teams }, { width, style }) => teamLines(teams, width, style),
});

const remove = defineRequest({
  name: "team remove",
  positionals: ["ACCOUNT"],
  options: COMPETITION_OPTION,
  notes: ["For organisers and moderators. Ranked submissions of the account stay with the team."],
  request: async ({ client }, options, account) => {
    const competition = requireCompetition(options);
    await client.removeFromTeam(competition, account);
    return { competition, account };
  },
  lines: ({ competition, account }) => [`${account} is removed from their team in ${competition}.`],
});

function teamSummary({ name, members, code }: Team): string[] {
  return [`You are in team ${name}: ${members.map((each) => each.name).join(", ")}.`, `Join code: ${code ?? ""}`];
}

export const command = defineGroup({
  name: "team",
  commands: {
    make: { about: "Create a team and print its join code", load: () => Promise.resolve({ command: make }) },
    join: { about: "Join a team with its code", load: () => Promise.resolve({ command: join }) },
    leave: { about: "Leave your team", load: () => Promise.resolve({ command: leave }) },
    show: { about: "List the teams of a competition", load: () => Promise.resolve({ command: show }) },
    rename: { about: "Rename your team", load: () => Promise.resolve({ command: rename }) },
    remove: { about: "Remove an account from its team", load: () => Promise.resolve({ command: remove }) },
  },
});
