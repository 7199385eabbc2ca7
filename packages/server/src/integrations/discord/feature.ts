import type { Feature } from "../../feature.ts";
import { DISCORD_TABLES } from "./personal-data.ts";
import { discordEndpoints } from "./routes.ts";
import { openDiscord } from "./service.ts";

export const discord: Feature = {
  name: "discord",
  personalData: DISCORD_TABLES,
  otherTables: [
    "discord_app",
    "discord_interaction",
    "discord_guild",
    "discord_message",
    "discord_board",
    "discord_post",
  ],
  endpoints: discordEndpoints,
  async start({ database, store, options }) {
    const { discord: bot, publicUrl, problems, archives, huggingFace } = options;
    if (bot === undefined || publicUrl === undefined) return {};
    const hasHub = huggingFace !== undefined;
    const opened = await openDiscord({ database, store, publicUrl, problemsFolder: problems, archives, hasHub }, bot);
    return { stop: () => opened.close(), provides: { discord: opened } };
  },
};
