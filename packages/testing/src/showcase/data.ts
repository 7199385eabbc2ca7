/** Makes a snapshot of the ended competition, with its analyses. */
import { analyseSnapshots } from "@kernelbot/server/src/dataset/analysis.ts";
import { buildSnapshot } from "@kernelbot/server/src/dataset/build-snapshot.ts";
import { buildSnapshots } from "@kernelbot/server/src/dataset/build.ts";
import { requestSnapshot } from "@kernelbot/server/src/dataset/snapshots.ts";
import { ENDED } from "./competitions.ts";
import type { Stage } from "./perform.ts";

export interface DataShown {
  snapshot: number;
}

export async function createSnapshot({ database, cast, datasets }: Stage): Promise<DataShown> {
  const { id } = await requestSnapshot(database, cast.organiser, { competitions: [ENDED] });
  await buildSnapshots(database, datasets, { source: "https://kernels.example.org", build: buildSnapshot });
  await analyseSnapshots(database, datasets);
  return { snapshot: id };
}
