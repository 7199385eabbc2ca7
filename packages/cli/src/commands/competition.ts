import { defineRequest } from "../request/request.ts";
import { competitionLines } from "../render/competitions.ts";

export const command = defineRequest({
  name: "competition",
  positionals: ["NAME"],
  notes: ["Shows its dates, problems, rules and limits."],
  request: ({ client }, _, name) => client.competition(name),
  lines: (competition, { width, style }) => competitionLines(competition, new Date(), width, style),
});
