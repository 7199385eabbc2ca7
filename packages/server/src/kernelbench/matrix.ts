/** Every model on every problem. */
import type { BaselineChoice, EntrySummary, KernelResult, Suite } from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { comparable } from "./comparable.ts";
import { listWithResults } from "./entries.ts";
import { readSuite } from "./suites.ts";

export interface Matrix {
  suite: Suite;
  /** Those of the viewer's list, the best first. */
  entries: EntrySummary[];
  /** By the number of the entry: sample 0 for each problem as it is now. */
  results: Map<number, KernelResult[]>;
}

/**
 * Its entries scored, and put in order, by the eager model of the same session or another baseline.
 * @throws KernelBotError `not_found` where there is no such suite or stored baseline.
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
