import { sanitize, oneLine } from "../../output/text.ts";
import { defineModerationAction } from "./moderation-action.ts";

export const command = defineModerationAction({
  name: "admin unban",
  positional: "ACCOUNT",
  notes: ["Restores its access and its leaderboard entries."],
  parse: (name) => name,
  perform: async ({ client }, account, reason) => {
    const ban = await client.moderation.unban(account, reason);
    return { document: ban, message: `${oneLine(sanitize(ban.account.name))} is no longer banned.` };
  },
});
