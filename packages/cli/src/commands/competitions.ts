import { defineRequest } from "../request/request.ts";
import { competitionsLines } from "../render/competitions.ts";

export const command = defineRequest({
  name: "competitions",
  notes: ["Lists public competitions and those that you have joined, with the remaining time."],
  request: async ({ client }) => ({ competitions: await client.competitions() }),
  lines: ({ competitions }, { width, style }) => competitionsLines(competitions, new Date(), width, style),
});
