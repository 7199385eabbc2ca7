import { sanitize, oneLine } from "../../output/text.ts";
import { defineAct } from "./moderation-action.ts";

export const command = defineAct({
  name: "admin unban",
  about: "Ends a ban: the account may act again, and its results are back on the boards.",
  positional: "ACCOUNT",
  read: (name) => name,
  act: async ({ client }, account, reason) => {
    const standing = await client.moderation.unban(account, reason);
    return { document: standing, told: `${oneLine(sanitize(standing.account.name))} is not banned any more.` };
  },
});
