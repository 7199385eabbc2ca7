import type { Competition } from "@kernelbot/core";
import { listOrganised } from "../competitions/competitions.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { exportObstacle } from "./exportable.ts";

/** Returns the ended competitions of which the organiser may request a snapshot. */
export async function offeredCompetitions(database: Database, identity: Identity): Promise<Competition[]> {
  const organised = await listOrganised(database, identity);
  return organised.filter((competition) => {
    const endsAt = new Date(competition.revealAt ?? competition.endsAt);
    return exportObstacle({ ...competition, endsAt, ended: endsAt <= new Date() }) === null;
  });
}
