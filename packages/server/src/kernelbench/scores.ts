/** Results and scores of entries, cached by change number. */
import {
  KERNEL_STATES,
  machineName,
  scoredKernels,
  scoreEntry,
  type BaselineChoice,
  type BaselineTime,
  type KernelBenchScore,
  type KernelBenchEntrySummary,
  type KernelResult,
  type KernelState,
  type ScoredProblem,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { storedTimes } from "./baselines.ts";
import { readKernels, readChangeNumbers, type KernelRow } from "./kernels.ts";
import { resultsOf } from "./results.ts";

export interface EntryScores {
  /** Number that changes whenever a result may change. */
  changeNumber: number;
  results: KernelResult[];
  progress: KernelBenchEntrySummary["progress"];
  /** Score against the eager model of the same session. */
  score: KernelBenchScore;
  /** Versions of the testers that judged the kernels. */
  evaluators: string[];
  hardware: string[];
}

interface ScoredEntry {
  id: number;
  suite_version: string;
}

/** Maximum number of kernels in the cache; the least recently read entries are evicted. */
const KEPT_KERNELS = 50_000;
const keptStandings = perDatabase(() => new Map<number, EntryScores>());

/** Returns results, progress and score of entries by entry id. */
export async function readEntryScores(
  database: Database,
  entries: readonly ScoredEntry[],
): Promise<Map<number, EntryScores>> {
  const kept = keptStandings(database);
  // Change numbers are read before kernels, so that the kernels are never older than their change number.
  const changeNumbers = await readChangeNumbers(
    database,
    entries.map(({ id }) => id),
  );
  const stale = entries.filter(({ id }) => kept.get(id)?.changeNumber !== changeNumbers.get(id));
  const fresh = await computeEntryScores(database, stale, changeNumbers);
  const scoresById = new Map<number, EntryScores>();
  for (const { id } of entries) {
    const entryScores = fresh.get(id) ?? kept.get(id);
    if (entryScores === undefined) continue;
    scoresById.set(id, entryScores);
    // Moves the entry to the end: the Map is ordered by last use.
    kept.delete(id);
    kept.set(id, entryScores);
  }
  evictOldest(kept);
  return scoresById;
}

/**
 * Returns the scores of entries by another baseline than the eager model of the same session; an empty map when the
 * baseline is that one.
 * @throws KernelBotError `not_found` when the stored baseline does not exist.
 */
export async function scoresBy(
  database: Database,
  entries: readonly ScoredEntry[],
  scoresById: ReadonlyMap<number, EntryScores>,
  baseline: BaselineChoice = { kind: "eager" },
): Promise<Map<number, KernelBenchScore>> {
  if (baseline.kind === "eager") return new Map();
  const stored = await storedTimes(database, baseline);
  const problems = await problemsOf(database, entries);
  const scores = entries.map(({ id, suite_version: version }) => {
    const { results, ...by } = scoresById.get(id) as EntryScores;
    return [id, scored(version, problems.get(version) ?? [], results, by, baseline, stored)] as const;
  });
  return new Map(scores);
}

async function computeEntryScores(
  database: Database,
  entries: readonly ScoredEntry[],
  changeNumbers: ReadonlyMap<number, number>,
): Promise<Map<number, EntryScores>> {
  if (entries.length === 0) return new Map();
  const kernels = await readKernels(
    database,
    entries.map(({ id }) => id),
  );
  const [results, machines, problems] = await Promise.all([
    resultsOf(database, kernels),
    machinesOf(database, kernels),
    problemsOf(database, entries),
  ]);
  const byEntry = Map.groupBy(
    kernels.map((kernel, at) => ({ kernel, result: results[at] as KernelResult })),
    ({ kernel }) => kernel.entry_id,
  );
  return new Map(
    entries.map(({ id, suite_version: version }) => {
      const own = byEntry.get(id) ?? [];
      const ownResults = own.map(({ result }) => result);
      const used = new Set(own.flatMap(({ kernel }) => machines.get(kernel.machine_hash ?? "") ?? []));
      const by = {
        evaluators: [...new Set(Array.from(used, ({ tester }) => tester))].toSorted(),
        hardware: [...new Set(Array.from(used, ({ device }) => device))].toSorted(),
      };
      const score = scored(version, problems.get(version) ?? [], ownResults, by, { kind: "eager" }, []);
      return [
        id,
        {
          changeNumber: changeNumbers.get(id) ?? 0,
          results: ownResults,
          progress: progressOf(ownResults),
          score,
          ...by,
        },
      ] as const;
    }),
  );
}

function scored(
  suiteVersion: string,
  problems: readonly ScoredProblem[],
  results: readonly KernelResult[],
  { evaluators, hardware }: Pick<EntryScores, "evaluators" | "hardware">,
  baseline: BaselineChoice,
  stored: readonly BaselineTime[],
): KernelBenchScore {
  const kernels = scoredKernels(results, baseline, stored);
  return scoreEntry({ suiteVersion, problems, kernels, baseline, evaluators, hardware });
}

function progressOf(results: readonly KernelResult[]): KernelBenchEntrySummary["progress"] {
  const count = (state: KernelState) => results.filter((result) => result.state === state).length;
  return Object.fromEntries(KERNEL_STATES.map((state) => [state, count(state)])) as KernelBenchEntrySummary["progress"];
}

/** Returns the problems for scoring, by suite version. */
async function problemsOf({ db }: Database, entries: readonly ScoredEntry[]): Promise<Map<string, ScoredProblem[]>> {
  const versions = new Set(entries.map((entry) => entry.suite_version));
  if (versions.size === 0) return new Map();
  const rows = await db
    .selectFrom("kernelbench_suite_problem")
    .select(["suite_version", "level", "problem", "inspection"])
    .where("suite_version", "in", [...versions])
    .execute();
  return new Map(
    Array.from(
      Map.groupBy(rows, (row) => row.suite_version),
      ([version, own]) =>
        [
          version,
          own.map(({ level, problem, inspection }) => ({ level, problem, degenerate: inspection.degenerate })),
        ] as const,
    ),
  );
}

/** Returns tester version and device of the machines that judged the kernels, by machine hash. */
async function machinesOf(
  { db }: Database,
  kernels: readonly KernelRow[],
): Promise<Map<string, { tester: string; device: string }>> {
  const hashes = [...new Set(kernels.flatMap(({ machine_hash: hash }) => hash ?? []))];
  if (hashes.length === 0) return new Map();
  const rows = await db
    .selectFrom("machine")
    .selectAll()
    .where(
      "hash",
      "in",
      hashes.map((hash) => Buffer.from(hash, "hex")),
    )
    .execute();
  return new Map(
    rows.map(({ hash, description }) => [
      hash.toString("hex"),
      { tester: description.testerVersion, device: machineName(description) },
    ]),
  );
}

function evictOldest(kept: Map<number, EntryScores>): void {
  let total = 0;
  for (const [id, { results }] of [...kept].reverse()) {
    total += results.length;
    if (total > KEPT_KERNELS) kept.delete(id);
  }
}
