/** Makes a snapshot of the ended competition, with its analyses. */
import { analyseSnapshots, readAnalysis } from "@kernelbot/server/src/dataset/analysis.ts";
import { makeNext } from "@kernelbot/server/src/dataset/make.ts";
import { requestSnapshot } from "@kernelbot/server/src/dataset/snapshots.ts";
import { ENDED } from "./competitions.ts";
import type { Stage } from "./perform.ts";

export interface DataShown {
  snapshot: number;
  /** Id of an author in the data. */
  author: string;
}

export async function publishedData({ database, cast, datasets }: Stage): Promise<DataShown> {
  const { id } = await requestSnapshot(database, cast.organiser, { competitions: [ENDED] });
  await makeNext({ connection: database.connection, directory: datasets, source: "https://kernels.example.org" });
  await analyseSnapshots(database, datasets);
  const tables = await readAnalysis(database, id, ENDED);
  const [first] = typeof tables === "object" ? tables.contestants : [];
  return { snapshot: id, author: first?.userId ?? "" };
}
