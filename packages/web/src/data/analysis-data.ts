/** The data of the page of the analyses of a competition. */
import type { AnalysisTables, ProgressStep, SnapshotManifest } from "@kernelbot/core";
import type { Visit } from "../visit.ts";

/** A board of the data. */
export interface DataBoard {
  problem: string;
  target: string;
}

export interface AnalysisPage {
  visit: Visit;
  snapshot: { id: number; competition: SnapshotManifest["competitions"][number] };
  tables: AnalysisTables | "none" | "failed";
  /** Null where the page chooses. */
  board: DataBoard | null;
  /** Whose progression is asked for. */
  user: { id: string; name: string; steps: readonly ProgressStep[] } | null;
}
