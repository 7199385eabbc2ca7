/** Metrics of results that were measured outside this platform. */
import type { Client } from "@kernelbot/api";
import {
  excessiveSpeedups,
  KERNELBENCH,
  measuredKernels,
  readMeasuredResults,
  requireSameHardware,
  scoredProblems,
  scoreMeasured,
  type BaselineChoice,
  type KernelBenchScore,
  type ExcessiveSpeedup,
  type ScoredProblem,
} from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { readBounded } from "./files.ts";
import { readSuiteFile } from "./read-entry.ts";

const MAX_RESULTS_BYTES = 64_000_000;
/** Maximum number of faults that are listed. */
const SHOWN = 20;

interface MeasuredScore {
  score: KernelBenchScore;
  excessive: ExcessiveSpeedup[];
  /** Warnings that a reader of the metrics needs. */
  warnings: string[];
}

interface MeasuredNamed {
  file: string;
  /** Suite of the server, or a file of one; without either, the 250 problems of KernelBench. */
  suite: string | undefined;
  suiteFile: string | undefined;
  baseline: BaselineChoice;
}

/**
 * Computes the metrics of a file of measured results.
 * @param client called only when a suite or stored baseline of the server is named
 * @throws UsageError with every fault of the document
 */
export async function scoreResultsFile(client: () => Promise<Client>, named: MeasuredNamed): Promise<MeasuredScore> {
  const { file, baseline } = named;
  const { document, faults } = readMeasuredResults(await readBounded(file, MAX_RESULTS_BYTES));
  if (document === null) throw new UsageError(faultsText(file, faults));
  if (baseline.kind === "compiled" && document.baseline !== "compiled") {
    throw new UsageError(`${JSON.stringify(file)} has times of the eager model only, not of the compiled model`);
  }
  const suite = await namedProblems(client, named);
  const stored = baseline.kind === "stored" ? await (await client()).kernelbench.baseline(baseline.id) : undefined;
  if (stored !== undefined) requireSameHardware(stored, [document.hardware]);
  try {
    return {
      score: scoreMeasured({ document, ...suite, stored }),
      excessive: excessiveSpeedups(measuredKernels(document, suite.problems, stored?.times)),
      warnings: [`The results in ${file} were measured outside KernelBot, which cannot verify them.`],
    };
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`${JSON.stringify(file)}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function namedProblems(
  client: () => Promise<Client>,
  { suite: name, suiteFile }: MeasuredNamed,
): Promise<{ suiteVersion: string; problems: ScoredProblem[] }> {
  if (name !== undefined && suiteFile !== undefined) throw new UsageError("use --suite or --suite-file, not both");
  if (name === undefined && suiteFile === undefined) {
    return {
      suiteVersion: "",
      problems: KERNELBENCH.problems.map(({ level, problem }) => ({ level, problem, degenerate: null })),
    };
  }
  const suite =
    suiteFile === undefined ? await (await client()).kernelbench.suite(name ?? "") : await readSuiteFile(suiteFile);
  return { suiteVersion: suite.version, problems: scoredProblems(suite) };
}

function faultsText(file: string, faults: readonly string[]): string {
  const more = faults.length > SHOWN ? [`and ${faults.length - SHOWN} more`] : [];
  return [`${JSON.stringify(file)} is not a document of results:`, ...faults.slice(0, SHOWN), ...more].join("\n  ");
}
