import type { Feature } from "../feature.ts";
import { CHECK_IN_USE_MS, checkFirstInUse } from "./check-in-use.ts";
import { MODERATION_TABLES } from "./personal-data.ts";
import { CONFIRM_MS, confirmTop } from "./rerun.ts";
import { moderationPages } from "./routes/moderation-pages.ts";
import { moderationEndpoints } from "./routes/moderation.ts";
import { ownDecisionPages } from "./routes/own-decision-pages.ts";
import { storeFingerprints } from "./similar.ts";

export const moderation: Feature = {
  name: "moderation",
  personalData: MODERATION_TABLES,
  otherTables: ["fingerprint"],
  endpoints: moderationEndpoints,
  pages: [...moderationPages, ...ownDecisionPages],
  jobs: ({ database, options: { rerunTop } }) => [
    ...(rerunTop > 0 ? [{ name: "confirm top", everyMs: CONFIRM_MS, run: () => confirmTop(database, rerunTop) }] : []),
    { name: "check in use", everyMs: CHECK_IN_USE_MS, run: () => checkFirstInUse(database) },
    // A source of 1 MB takes 0.5 s on another thread.
    { name: "store fingerprints", everyMs: 0, long: true, run: () => storeFingerprints(database) },
  ],
};
