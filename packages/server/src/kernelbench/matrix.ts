/** The matrix of all models and all problems of a suite. */
import type { BaselineChoice, KernelBenchEntrySummary, KernelResult, Suite } from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { comparable } from "./comparable.ts";
import { listWithResults } from "./entries.ts";
import { readSuite } from "./suites.ts";

export interface Matrix {
  suite: Suite;
  /** The entries that the viewer may list, best first. */
  entries: KernelBenchEntrySummary[];
  /** Results by entry id: sample 0 of each problem in the suite's current version. */
  results: Map<number, KernelResult[]>;
}

/**
 * Returns the matrix, with the entries scored and ordered by the eager model of the same session or another baseline.
 * @throws KernelBotError `not_found` when the suite or the stored baseline does not exist.
 */
export async function readMatrix(
  database: Database,
  viewer: Viewer,
  suiteName: string,
  target: string,
  baseline?: BaselineChoice,
): Promise<Matrix> {
  const suite = await readSuite(database, suiteName);
  const [listed, isComparable] = await Promise.all([
    listWithResults(database, viewer, { suite: suiteName, target, baseline }),
    comparable(database, suite),
  ]);
  return {
    suite,
    entries: listed.map(({ entry }) => entry),
    results: new Map(
      listed.map(({ entry, results }) => [
        entry.id,
        results.filter((result) => result.sample === 0 && isComparable(entry, result)),
      ]),
    ),
  };
}
