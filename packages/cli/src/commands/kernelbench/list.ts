import { defineRequest } from "../../request/request.ts";
import { entriesLines } from "../../render/entries.ts";

export const command = defineRequest({
  name: "kernelbench list",
  options: {
    suite: { type: "string", value: "NAME", help: "Only entries of this suite" },
    target: { type: "string", short: "t", value: "NAME", help: "Only entries on this target" },
    mine: { type: "boolean", help: "Only your own entries" },
  },
  notes: ["Lists published entries and your own."],
  request: async ({ client }, { suite, target, mine }) => ({
    entries: await client.kernelbench.entries({ suite, target, ...(mine && { mine }) }),
  }),
  lines: ({ entries }, { width, style }) => entriesLines(entries, { width, style }),
});
