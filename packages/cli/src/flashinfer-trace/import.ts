/** Imports the definitions of a FlashInfer Trace data set as problems: all of them or none, unless the import is partial. */
import { formatTraceFault, traceProblem, type TraceFault, type TraceImport, type TraceProblem } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { formatCount, oneLine, sanitize } from "../output/text.ts";
import { readDataSet } from "./data-set.ts";
import { openTensors } from "./tensors.ts";

/** Help of the option for a partial import. */
export const PARTIAL_HELP = "Import what has no faults, and list the faults";

/**
 * Reads a data set and converts it, and lists on standard error every fault, and which workloads became no cases.
 * @param partial whether definitions and workloads with faults are left out
 * @throws UsageError if there is a fault and the import is not partial, or if no definition is left
 */
export async function importDataSet(
  folder: string,
  { targets, partial }: Pick<TraceImport, "targets" | "partial">,
): Promise<TraceProblem[]> {
  const { print } = terminalOf(process.stderr);
  const { problems, faults } = await readProblems(folder, { targets, partial });
  print(faults.map((fault) => sanitizedLine(formatTraceFault(fault))));
  const isRefused = faults.length > 0 && (!partial || problems.length === 0);
  if (isRefused) throw new UsageError(`nothing was imported: ${formatCount(faults.length, "fault")}, listed above`);
  print(leftOutLines(problems).map(sanitizedLine));
  return problems;
}

function sanitizedLine(text: string): string {
  return oneLine(sanitize(text));
}

async function readProblems(
  folder: string,
  options: Pick<TraceImport, "targets" | "partial">,
): Promise<{ problems: TraceProblem[]; faults: TraceFault[] }> {
  const faults: TraceFault[] = [];
  const sources = await readDataSet(folder, faults);
  const { readDefinitionFacts } = await import("@kernelbot/tester");
  const { readTraceProblemFiles } = await import("@kernelbot/tester/trace-problem-files");
  const facts = await readDefinitionFacts(sources.map(({ definition }) => definition));
  const common = { read: openTensors(folder), runtime: readTraceProblemFiles(), ...options };
  const problems = new Map<string, TraceProblem>();
  for (const [index, source] of sources.entries()) {
    const own = facts[index];
    const problem = own === undefined ? null : traceProblem(source, { ...common, facts: own }, faults);
    if (problem === null) continue;
    if (problems.has(problem.name)) {
      const what = `becomes the problem ${JSON.stringify(problem.name)}, as another definition does`;
      faults.push({ file: source.file, field: "name", what });
      continue;
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
