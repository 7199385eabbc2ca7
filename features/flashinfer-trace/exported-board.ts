/** A board with the documents of its problem and the solutions of its entries. */
import { casesFor, KernelBotError, type Solution } from "@kernelbot/core";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { parametersOf } from "@kernelbot/cli/src/kernel-export/parameters.ts";
import type { BoardResult, BoardResults } from "./board-results.ts";
import { derivedDocuments } from "./derived-documents.ts";
import { derivedReference } from "./derived-reference.ts";
import { exportedSolution } from "./export-solution.ts";
import { flashinferBenchFaults } from "./flashinfer-bench.ts";
import { isImportedDefinition, ownDocuments, type ProblemDocuments } from "./own-documents.ts";

export interface ExportedBoard extends BoardResults {
  documents: ProblemDocuments;
  solutions: (BoardResult & { solution: Solution })[];
}

/**
 * Returns a board with its documents.
 * @param header Text of `kernelbot.h`, which kernels in C++ include.
 * @throws KernelBotError `unprocessable` if its problem cannot be written as a definition
 */
export async function exportedBoard(results: BoardResults, header: string): Promise<ExportedBoard> {
  const documents = await documentsOf(results);
  const solutions: ExportedBoard["solutions"] = [];
  const skipped = [...results.skipped];
  for (const result of results.results) {
    try {
      solutions.push({ ...result, solution: exportedSolution(result.entry, documents, header) });
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof KernelBotError)) throw error;
      skipped.push({ submissionId: result.entry.submission.id, why: error.message });
    }
  }
  return { ...results, documents, solutions, skipped };
}

async function documentsOf({ problem, target }: BoardResults): Promise<ProblemDocuments> {
  if (isImportedDefinition(problem)) return ownDocuments(problem);
  const { tests, benchmarks } = casesFor(problem.spec, target);
  const { readInputValues } = await import("@kernelbot/tester");
  const document = { spec: problem.spec, files: problem.files };
  const cases = await readInputValues(document, [...tests, ...benchmarks]);
  const names = parametersOf(problem);
  return derivedDocuments({ problem, target, names, cases, reference: (shapes) => derivedReference(problem, shapes) });
}

/** Returns what a user has to know about an export, one line each. */
export function noteLines({ problem, documents, skipped }: ExportedBoard): string[] {
  const { name } = problem.spec;
  const refused = flashinferBenchFaults(documents);
  return [
    ...skipped.map(({ submissionId, why }) => `${name}: submission ${submissionId} is not exported: ${why}`),
    ...documents.leftOut.map(({ uuid, why }) => `${name}: workload ${uuid} is not exported: ${why}`),
    ...(refused.length > 0 ? [`${name}: flashinfer-bench does not read the definition: ${refused.join("; ")}`] : []),
  ];
}
