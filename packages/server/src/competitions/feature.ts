import type { Feature } from "../feature.ts";
import { COMPETITIONS_TABLES } from "./personal-data.ts";
import { notifyPhaseChanges } from "./phases.ts";
import { competitionAdminPages } from "./routes/competition-admin-pages.ts";
import { competitionEndpoints } from "./routes/competitions.ts";
import { competitionFeeds } from "./routes/feeds.ts";
import { inviteAdminPages } from "./routes/invite-admin-pages.ts";
import { joinPages } from "./routes/join-pages.ts";
import { competitionPages } from "./routes/pages.ts";
import { teamPages } from "./routes/team-pages.ts";
import { teamEndpoints } from "./routes/teams.ts";

/** Maximum delay until watchers of a board are notified of a freeze or reveal, in milliseconds. */
const PHASES_MS = 2000;

export const competitions: Feature = {
  name: "competitions",
  personalData: COMPETITIONS_TABLES,
  otherTables: ["competition", "invite_competition"],
  endpoints: [...competitionEndpoints, ...teamEndpoints],
  pages: [
    ...competitionPages,
    ...competitionFeeds,
    ...joinPages,
    ...teamPages,
    ...competitionAdminPages,
    ...inviteAdminPages,
  ],
  jobs: ({ database }) => [{ name: "tell phases", everyMs: PHASES_MS, run: () => notifyPhaseChanges(database) }],
};
