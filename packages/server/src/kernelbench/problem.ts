/** A problem of a suite across models. */
import {
  KernelBotError,
  suiteKeyText,
  type EntrySummary,
  type KernelResult,
  type SuiteKey,
  type SuiteProblem,
} from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { readProblemVersion } from "../problems/problems.ts";
import { sourceRefusal } from "../runs/source.ts";
import { comparable } from "./comparable.ts";
import { listWithResults } from "./entries.ts";
import { readSuite } from "./suites.ts";

export interface ProblemAcross {
  problem: SuiteProblem;
  /** The text of its file. */
  source: string;
  /** Sample 0 of each entry that has a kernel for it as it is now. */
  rows: { entry: EntrySummary; result: KernelResult; source: string | null }[];
}

/**
 * What the entries in the viewer's list made of a problem, in the order of that list.
 * @throws KernelBotError `not_found` where there is no such suite or problem.
 */
export async function readSuiteProblem(
  database: Database,
  viewer: Viewer,
  suiteName: string,
  key: SuiteKey,
  target?: string,
): Promise<ProblemAcross> {
  const suite = await readSuite(database, suiteName);
  const problem = suite.problems.find((one) => suiteKeyText(one) === suiteKeyText(key));
  if (problem === undefined) {
    throw new KernelBotError("not_found", `the suite ${suiteName} has no problem ${suiteKeyText(key)}`);
  }
  const [entries, isComparable, version] = await Promise.all([
    listWithResults(database, viewer, { suite: suiteName, target }),
    comparable(database, suite),
    readProblemVersion(database, problem.version),
  ]);
  const found = entries.flatMap(({ entry, results }) => {
    const result = results.find((one) => suiteKeyText(one) === suiteKeyText(key) && one.sample === 0);
    return result !== undefined && isComparable(entry, key) ? [{ entry, result }] : [];
  });
  const sources = await readSources(
    database,
    viewer,
    found.map(({ result }) => result),
  );
  return {
    problem,
    source: version?.files["model.py"] ?? "",
    rows: found.map((row) => ({ ...row, source: sources.get(row.result.sourceHash) ?? null })),
  };
}

/** The sources of these kernels that are open to the viewer, by their hashes. */
async function readSources(
  database: Database,
  viewer: Viewer,
  results: readonly KernelResult[],
): Promise<Map<string, string>> {
  const open = await Promise.all(
    results.map(async ({ submissionId: id }) => id !== null && (await sourceRefusal(database, viewer, id)) === null),
  );
  const hashes = results.filter((_, at) => open[at]).map(({ sourceHash }) => Buffer.from(sourceHash, "hex"));
  if (hashes.length === 0) return new Map();
  const rows = await retrying(() =>
    database.db.selectFrom("code").select(["hash", "source"]).where("hash", "in", hashes).execute(),
  );
  return new Map(rows.map(({ hash, source }) => [hash.toString("hex"), source]));
}
