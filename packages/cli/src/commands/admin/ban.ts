import { sanitize, oneLine } from "../../output/text.ts";
import { defineAct } from "./moderation-action.ts";

export const command = defineAct({
  name: "admin ban",
  about:
    "Bans an account with all its identities: it may read and appeal, what waits of it is cancelled, and it is on no board.",
  positional: "ACCOUNT",
  read: (name) => name,
  act: async ({ client }, account, reason) => {
    const standing = await client.moderation.ban(account, reason);
    return { document: standing, told: `${oneLine(sanitize(standing.account.name))} is banned.` };
  },
});
