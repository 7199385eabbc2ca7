/** Imports the definitions of a FlashInfer Trace data set as problems: all of them, or none. */
import { formatTraceFault, traceProblem, type TraceFault, type TraceProblem } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { formatCount, oneLine, sanitize } from "../output/text.ts";
import { readDataSet } from "./data-set.ts";
import { openTensors } from "./tensors.ts";

/**
 * Reads a data set and converts it, and lists on standard error which workloads became no cases.
 * @throws UsageError after listing every fault on standard error
 */
export async function importDataSet(folder: string, targets: readonly string[]): Promise<TraceProblem[]> {
  const { print } = terminalOf(process.stderr);
  const { problems, faults } = await readProblems(folder, targets);
  if (faults.length === 0) {
    print(leftOutLines(problems).map(sanitizedLine));
    return problems;
  }
  print(faults.map((fault) => sanitizedLine(formatTraceFault(fault))));
  throw new UsageError(`nothing was imported: ${formatCount(faults.length, "fault")}, listed above`);
}

function sanitizedLine(text: string): string {
  return oneLine(sanitize(text));
}

async function readProblems(
  folder: string,
  targets: readonly string[],
): Promise<{ problems: TraceProblem[]; faults: TraceFault[] }> {
  const faults: TraceFault[] = [];
  const sources = await readDataSet(folder, faults);
  const { readDefinitionFacts } = await import("@kernelbot/tester");
  const { readTraceProblemFiles } = await import("@kernelbot/tester/trace-problem-files");
  const facts = await readDefinitionFacts(sources.map(({ definition }) => definition));
  const common = { read: openTensors(folder), runtime: readTraceProblemFiles(), targets };
  const problems = new Map<string, TraceProblem>();
  for (const [index, source] of sources.entries()) {
    const own = facts[index];
    const problem = own === undefined ? null : traceProblem(source, { ...common, facts: own }, faults);
    if (problem === null) continue;
    if (problems.has(problem.name)) {
      const what = `becomes the problem ${JSON.stringify(problem.name)}, as another definition does`;
      faults.push({ file: source.file, field: "name", what });
    }
    problems.set(problem.name, problem);
  }
  return { problems: [...problems.values()], faults };
}

/** Lines that name the workloads that became no cases, one per problem and reason. */
function leftOutLines(problems: readonly TraceProblem[]): string[] {
  return problems.flatMap(({ name, leftOut }) =>
    [...Map.groupBy(leftOut, ({ why }) => why)].map(
      ([why, workloads]) => `${name}: no case for ${workloads.map(({ uuid }) => uuid).join(", ")}: ${why}`,
    ),
  );
}
