import { defineRequest } from "../../request/request.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { accountLines } from "../../render/people.ts";

export const command = defineRequest({
  name: "admin accounts",
  options: {
    after: { type: "string", value: "NAME", help: "List accounts after this name" },
    limit: { type: "string", short: "n", value: "N", default: "100", help: "Maximum number of accounts" },
  },
  request: async ({ client }, { after, limit }) => ({
    accounts: await client.accounts({ after, limit: positiveInteger(limit, "a number of accounts") }),
  }),
  lines: ({ accounts }, { width, style }) => accountLines(accounts, width, style),
});
