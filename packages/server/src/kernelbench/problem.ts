/** One problem of a suite across models. */
import {
  bestFirst,
  KernelBotError,
  suiteKeyText,
  type BaselineChoice,
  type KernelResult,
  type SuiteKey,
  type SuiteProblemResults,
} from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { readProblemVersion } from "../problems/problems.ts";
import { sourceRefusal } from "../submissions/source-access.ts";
import { storedTimes } from "./baselines.ts";
import { comparable } from "./comparable.ts";
import { listWithResults } from "./entries.ts";
import { readSuite } from "./suites.ts";

/**
 * Returns the best result of each entry for the suite's current version of a problem, in the order of `listEntries`.
 * @throws KernelBotError `not_found` when the suite, the problem or the stored baseline does not exist.
 */
export async function readSuiteProblem(
  database: Database,
  viewer: Viewer,
  suiteName: string,
  key: SuiteKey,
  { target, baseline = { kind: "eager" } }: { target?: string | undefined; baseline?: BaselineChoice | undefined } = {},
): Promise<SuiteProblemResults> {
  const suite = await readSuite(database, suiteName);
  const problem = suite.problems.find((one) => suiteKeyText(one) === suiteKeyText(key));
  if (problem === undefined) {
    throw new KernelBotError("not_found", `the suite ${suiteName} has no problem ${suiteKeyText(key)}`);
  }
  const [entries, stored, isComparable, version] = await Promise.all([
    listWithResults(database, viewer, { suite: suiteName, target, baseline }),
    storedTimes(database, baseline),
    comparable(database, suite),
    readProblemVersion(database, problem.version),
  ]);
  const found = entries.flatMap(({ entry, results }) => {
    const own = results.flatMap((result) => (suiteKeyText(result) === suiteKeyText(key) ? [{ result }] : []));
    const best = bestFirst(own, baseline, stored)[0];
    if (best === undefined || !isComparable(entry, key)) return [];
    const samples = { count: own.filter(({ result }) => result.correct === true).length, of: own.length };
    return [{ entry, result: best.result, samples }];
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

/** Returns the sources that the viewer may read, by hash. */
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
  const rows = await database.db.selectFrom("code").select(["hash", "source"]).where("hash", "in", hashes).execute();
  return new Map(rows.map(({ hash, source }) => [hash.toString("hex"), source]));
}
