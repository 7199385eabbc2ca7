import { formatAllowance, formatLimit } from "@kernelbot/core";
import { defineRequest } from "../request/request.ts";

export const command = defineRequest({
  name: "limits",
  positionals: ["BOARD"],
  notes: [
    "Shows each limit with your remaining allowance. Limits of the leaderboard override those of its competition, which " +
      "override those of the server. Each counts your submissions to all leaderboards that it applies to. Infrastructure " +
      "errors do not count; cancelled and deleted submissions do.",
  ],
  request: async ({ client }, _, board) => {
    const { limits, own } = await client.limits(board);
    return { limits, own };
  },
  lines: ({ limits, own }, _, board) => {
    if (limits.length === 0) return [`${board} has no limits.`];
    const lines = own === null ? limits.map(formatLimit) : own.map(formatAllowance);
    const scopes = limits.map((limit) => limit.competition ?? limit.board ?? "the server");
    return lines.map((line, at) => `${line} (${scopes[at]})`);
  },
});
