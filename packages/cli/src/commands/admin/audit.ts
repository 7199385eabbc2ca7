import { defineRequest } from "../../request/request.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { auditLines } from "../../render/people.ts";

export const command = defineRequest({
  name: "admin audit",
  options: {
    before: { type: "string", value: "ID", help: "List entries before this number" },
    limit: { type: "string", short: "n", value: "N", default: "50", help: "Maximum number of entries" },
  },
  notes: ["Lists the actions of organisers, moderators and administrators, newest first."],
  request: async ({ client }, { before, limit }) => {
    const page = {
      before: before === undefined ? undefined : positiveInteger(before, "the number of an entry"),
      limit: positiveInteger(limit, "a number of entries"),
    };
    return { entries: await client.audit(page) };
  },
  lines: ({ entries }, { width, style }) => auditLines(entries, width, style),
});
