import type { Client } from "@kernelbot/api";
import { parseCompetition, type Competition, type CompetitionSpec } from "@kernelbot/core";
import { defineRequest } from "../../request/request.ts";
import { readNamedFile } from "../../command/read-file.ts";
import { defineGroup } from "../../command/group.ts";
import { competitionLines } from "../../render/competitions.ts";

const NOTE =
  "FILE is YAML with name, title, starts_at and ends_at (UTC, such as 2026-03-01T12:00:00Z), and optionally " +
  "description, visibility (public, unlisted, closed), participants (everyone, members), groups (of the sign-in provider, whose " +
  "members are members of the competition), freeze_at and reveal_at, targets, problems " +
  "(names, or { name, targets, ends_at }), limits ({ ranked_per_hour: 10 }), code_visibility (after_end, always, never), licence, " +
  "team_size and organisers.";

function defineFromFile(verb: "create" | "change", send: (c: Client, s: CompetitionSpec) => Promise<Competition>) {
  return defineRequest({
    name: `admin competition ${verb}`,
    positionals: ["FILE"],
    notes: [NOTE],
    request: async ({ client }, _, file) => send(client, parseCompetition(await readNamedFile(file))),
    lines: (competition, { width, style }) => competitionLines(competition, new Date(), width, style),
  });
}

const create = defineFromFile("create", (client, spec) => client.createCompetition(spec));
const change = defineFromFile("change", (client, spec) => client.changeCompetition(spec));

export const command = defineGroup({
  name: "admin competition",
  commands: {
    create: { about: "Create a competition from a file", load: () => Promise.resolve({ command: create }) },
    change: {
      about: "Replace all settings of a competition with those of a file",
      load: () => Promise.resolve({ command: change }),
    },
  },
});
