/** Data of the page with a competition's analyses. */
import type { AnalysisTables, SnapshotManifest } from "@kernelbot/core";
import type { Visit } from "../layout/page-context.ts";

/** A board in the published data. */
export interface DataBoard {
  problem: string;
  target: string;
}

export interface AnalysisPage {
  visit: Visit;
  snapshot: { id: number; competition: SnapshotManifest["competitions"][number] };
  tables: AnalysisTables | "none" | "failed";
  /** Board that is shown; null for the first one. */
  board: DataBoard | null;
}
