import type { Client } from "@kernelbot/api";
import type { Team } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { defineGroup } from "../command/group.ts";
import { teamLines } from "../render/competitions.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

const OPTIONS = {
  competition: { type: "string", short: "c", value: "NAME", help: "Competition of the team (required)" },
  ...JSON_OPTION,
  ...SERVER_OPTION,
} as const;

interface Options {
  competition?: string | undefined;
  json: boolean;
  server?: string | undefined;
}

/** Performs a request in the competition named by the options and prints its result. */
async function inCompetition<Answer>(
  { competition, json, server }: Options,
  request: (client: Client, competition: string) => Promise<Answer>,
  format: (answer: Answer, competition: string) => string[],
): Promise<number> {
  if (competition === undefined) throw new UsageError("--competition NAME is required");
  const { client } = await connect(server);
  const answer = await request(client, competition);
  if (json) process.stdout.write(`${jsonDocument(answer)}\n`);
  else terminalOf(process.stdout).print(format(answer, competition));
  return EXIT.passed;
}

const make = defineCommand({
  name: "team make",
  positionals: ["NAME"],
  options: OPTIONS,
  notes: [
    "Creates a team with you as its member and prints the code with which others join. Submissions of members count for the " +
      "team, which has one row on each leaderboard. You can leave until you have submitted in mode ranked.",
  ],
  run: (options, name) =>
    inCompetition(options, (client, competition) => client.makeTeam(competition, name), teamSummary),
});

const join = defineCommand({
  name: "team join",
  positionals: ["CODE"],
  options: OPTIONS,
  notes: ["Your submissions from now on count for the team; your earlier ones no longer rank."],
  run: (options, code) =>
    inCompetition(options, (client, competition) => client.joinTeam(competition, code), teamSummary),
});

const rename = defineCommand({
  name: "team rename",
  positionals: ["NAME"],
  options: OPTIONS,
  run: (options, name) =>
    inCompetition(options, (client, competition) => client.renameTeam(competition, name), teamSummary),
});

const leave = defineCommand({
  name: "team leave",
  positionals: [],
  options: OPTIONS,
  notes: ["You can leave until you have submitted in mode ranked."],
  run: (options) =>
    inCompetition(
      options,
      async (client, competition) => {
        await client.leaveTeam(competition);
        return { competition };
      },
      ({ competition }) => [`You have left your team in ${competition}.`],
    ),
});

const show = defineCommand({
  name: "team show",
  positionals: [],
  options: OPTIONS,
  notes: ["Shows the join code of your own team only."],
  run: (options) => {
    const { width, style } = terminalOf(process.stdout);
    return inCompetition(
      options,
      async (client, competition) => ({ teams: await client.teams(competition) }),
      ({ teams }) => teamLines(sanitize(teams), width, style),
    );
  },
});

const remove = defineCommand({
  name: "team remove",
  positionals: ["ACCOUNT"],
  options: OPTIONS,
  notes: ["For organisers and moderators. Ranked submissions of the account stay with the team."],
  run: (options, account) =>
    inCompetition(
      options,
      async (client, competition) => {
        await client.removeFromTeam(competition, account);
        return { competition, account };
      },
      ({ competition }) => [`${account} is removed from their team in ${competition}.`],
    ),
});

function teamSummary(team: Team): string[] {
  const { name, members, code } = sanitize(team);
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
