import { type Client, type Team } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { defineGroup } from "../command/group.ts";
import { teamLines } from "../render/competitions.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

const OPTIONS = {
  competition: { type: "string", short: "c", value: "NAME", help: "In which competition" },
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
  act: (client: Client, competition: string) => Promise<Answer>,
  words: (answer: Answer, competition: string) => string[],
): Promise<number> {
  if (competition === undefined) throw new UsageError("say in which competition: --competition NAME");
  const { client } = await connect(server);
  const answer = await act(client, competition);
  if (json) process.stdout.write(`${jsonDocument(answer)}\n`);
  else terminalOf(process.stdout).print(words(answer, competition));
  return EXIT.passed;
}

const make = defineCommand({
  name: "team make",
  about: "Makes a team with you in it, and prints the code by which others join it.",
  positionals: ["NAME"],
  options: OPTIONS,
  notes: [
    "While you are in a team, what you submit counts for the team, and you have no row of your own.",
    "You can leave it until you have submitted ranked in it.",
  ],
  run: (options, name) => inCompetition(options, (client, competition) => client.makeTeam(competition, name), own),
});

const join = defineCommand({
  name: "team join",
  about: "Joins the team of a code.",
  positionals: ["CODE"],
  options: OPTIONS,
  notes: ["What you submit from now on counts for the team; what you have submitted before counts for nobody."],
  run: (options, code) => inCompetition(options, (client, competition) => client.joinTeam(competition, code), own),
});

const rename = defineCommand({
  name: "team rename",
  about: "Gives your team another name.",
  positionals: ["NAME"],
  options: OPTIONS,
  run: (options, name) => inCompetition(options, (client, competition) => client.renameTeam(competition, name), own),
});

const leave = defineCommand({
  name: "team leave",
  about: "Leaves your team, before you have submitted ranked in it.",
  positionals: [],
  options: OPTIONS,
  run: (options) =>
    inCompetition(
      options,
      async (client, competition) => {
        await client.leaveTeam(competition);
        return { competition };
      },
      ({ competition }) => [`You take part in ${competition} alone.`],
    ),
});

const show = defineCommand({
  name: "team show",
  about: "Lists the teams of a competition, yours with its code.",
  positionals: [],
  options: OPTIONS,
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
  about: "Takes an account out of its team, for organisers and moderators. What it has ranked there stays.",
  positionals: ["ACCOUNT"],
  options: OPTIONS,
  run: (options, account) =>
    inCompetition(
      options,
      async (client, competition) => {
        await client.removeFromTeam(competition, account);
        return { competition, account };
      },
      ({ competition }) => [`${account} takes part in ${competition} alone.`],
    ),
});

function own(team: Team): string[] {
  const { name, members, code } = sanitize(team);
  return [`You are in the team ${name}: ${members.map((each) => each.name).join(", ")}.`, `Its code: ${code ?? ""}`];
}

export const command = defineGroup({
  name: "team",
  about: "Takes part in a competition together: one row on its boards for all of a team.",
  commands: {
    make: { about: "make a team", load: () => Promise.resolve({ command: make }) },
    join: { about: "join one by its code", load: () => Promise.resolve({ command: join }) },
    leave: { about: "leave it", load: () => Promise.resolve({ command: leave }) },
    show: { about: "list the teams", load: () => Promise.resolve({ command: show }) },
    rename: { about: "rename yours", load: () => Promise.resolve({ command: rename }) },
    remove: { about: "take an account out, for organisers", load: () => Promise.resolve({ command: remove }) },
  },
});
