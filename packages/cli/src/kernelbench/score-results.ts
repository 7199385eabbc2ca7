/** The figures of results that were measured elsewhere. */
import {
  excessiveSpeedups,
  KERNELBENCH,
  measuredKernels,
  readMeasuredResults,
  scoredProblems,
  scoreMeasured,
  type BaselineChoice,
  type Client,
  type EntryScore,
  type ExcessiveSpeedup,
  type MeasuredResults,
  type ScoredProblem,
} from "@kernelbot/core";
import { UsageError } from "../exit.ts";
import { readBounded } from "./files.ts";
import { readSuiteFile } from "./read-entry.ts";

const MAX_RESULTS_BYTES = 64_000_000;
/** Faults that are listed. */
const SHOWN = 20;

export interface MeasuredScore {
  score: EntryScore;
  excessive: ExcessiveSpeedup[];
  /** What a reader of the figures has to know. */
  warnings: string[];
}

export interface MeasuredNamed {
  file: string;
  /** A suite of the server, or a file; the 250 problems of KernelBench where neither is named. */
  suite: string | undefined;
  suiteFile: string | undefined;
  baseline: BaselineChoice;
}

/**
 * @param client asked only for a suite or a stored baseline that is named
 * @throws UsageError with every fault of the document
 */
export async function scoreResultsFile(client: () => Promise<Client>, named: MeasuredNamed): Promise<MeasuredScore> {
  const { file, baseline } = named;
  const { document, faults } = readMeasuredResults(await readBounded(file, MAX_RESULTS_BYTES));
  if (document === null) throw new UsageError(faultsText(file, faults));
  if (baseline.kind === "compiled" && document.baseline !== "compiled") {
    throw new UsageError(`${JSON.stringify(file)} has times of the eager model, and none of the compiled one`);
  }
  const suite = await namedProblems(client, named);
  const stored = baseline.kind === "stored" ? await (await client()).kernelbench.baseline(baseline.id) : undefined;
  try {
    return {
      score: scoreMeasured({ document, ...suite, stored }),
      excessive: excessiveSpeedups(measuredKernels(document, suite.problems, stored?.times)),
      warnings: warningsOf(document, file, stored),
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
  if (name !== undefined && suiteFile !== undefined) throw new UsageError("say --suite or --suite-file, not both");
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

function warningsOf(
  { hardware }: MeasuredResults,
  file: string,
  stored: { id: string; hardware: string } | undefined,
): string[] {
  return [
    `The results in ${file} were measured elsewhere: these figures are as good as they are.`,
    ...(stored !== undefined && stored.hardware !== hardware
      ? [
          `The baseline ${stored.id} was measured on ${stored.hardware}, the kernels on ${hardware}: speed-ups mean little.`,
        ]
      : []),
  ];
}

function faultsText(file: string, faults: readonly string[]): string {
  const more = faults.length > SHOWN ? [`and ${faults.length - SHOWN} more`] : [];
  return [`${JSON.stringify(file)} is not a document of results:`, ...faults.slice(0, SHOWN), ...more].join("\n  ");
}
