import type { Feature } from "@kernelbot/server/src/feature.ts";

/** The data of an existing KernelBot: `kernelbot-server adopt`. */
export const adopt: Feature = { name: "adopt", otherTables: ["adopted_leaderboard", "adopted_invite"] };
