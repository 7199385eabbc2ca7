import { sanitize, oneLine } from "../../output/text.ts";
import { defineModerationAction } from "./moderation-action.ts";

export const command = defineModerationAction({
  name: "admin ban",
  positional: "ACCOUNT",
  notes: [
    "Applies to all identities of the account: it can still read and appeal, its queued runs are cancelled, and its entries " +
      "are removed from all leaderboards.",
  ],
  parse: (name) => name,
  perform: async ({ client }, account, reason) => {
    const ban = await client.moderation.ban(account, reason);
    return { document: ban, message: `${oneLine(sanitize(ban.account.name))} is banned.` };
  },
});
