/** Traces of a ranked run: the result of a solution on each timed workload, with environment and evaluation. */
import { machineName, type OutputErrors, type Receipt, scoreCases } from "@kernelbot/core";
import type { ProblemDocuments, WorkloadDocument } from "./own-documents.ts";

/** Ranked run of which traces are written. */
export interface RankedResult {
  receipt: Receipt;
  /** Largest errors of each case, in the order of the receipt; null if they are not known. */
  errors: readonly (OutputErrors | null)[];
  /** Address of the server. */
  server: string;
  /** Path of the receipt in the data set. */
  receiptPath: string;
}

/**
 * Returns the lines of the traces of a solution, one for each timed case.
 * @throws RangeError if a case of the receipt is not a workload
 */
export function resultLines(documents: ProblemDocuments, solution: string, result: RankedResult): string[] {
  const { receipt } = result;
  const { rankingBy, target, stop } = receipt;
  const { cases } = scoreCases(receipt.cases, rankingBy, target, stop);
  return cases.map(({ timeNs, referenceNs, speedup }, index) => {
    const values = receipt.cases[index]?.case ?? {};
    const workload = documents.workloadOf(values, index);
    if (workload === undefined) throw new RangeError(`the case ${JSON.stringify(values)} is not a workload`);
    const reference = referenceNs?.value ?? 0;
    const evaluation = {
      status: "PASSED",
      environment: environmentOf(receipt),
      timestamp: receipt.finishedAt,
      log: logOf(result),
      correctness: {
        ...errorFields(result.errors[index] ?? null),
        extra: {
          server: result.server,
          submission: receipt.submissionId,
          run: receipt.runId,
          receipt: result.receiptPath,
          timer: `kernelbot: wall time of one call, ${receipt.regime}`,
          latency_ms_interval: [timeNs.low / 1e6, timeNs.high / 1e6],
          speedup_factor_interval: speedup === null ? null : [speedup.low, speedup.high],
        },
      },
      performance: {
        latency_ms: timeNs.value / 1e6,
        reference_latency_ms: reference / 1e6,
        speedup_factor: speedup?.value ?? reference / timeNs.value,
      },
    };
    return traceLine(documents, workload, JSON.stringify(solution), JSON.stringify(evaluation));
  });
}

/** Returns a trace as one line, in which the workload is as it was written. */
function traceLine(
  { definition }: ProblemDocuments,
  workload: WorkloadDocument,
  solution: string,
  evaluation: string,
): string {
  return `{"definition": ${JSON.stringify(definition.name)}, "workload": ${workload.text}, "solution": ${solution}, "evaluation": ${evaluation}}`;
}

/** The device as its driver names it, and the versions of what the kernel may use. */
function environmentOf({ machine }: Receipt): { hardware: string; libs: Record<string, string> } {
  const [, version] = /^(?:CUDA|HIP) (.+)$/.exec(machine.runtime ?? "") ?? [];
  const runtime = machine.runtime?.startsWith("HIP") === true ? "hip" : "cuda";
  return {
    hardware: machine.accelerators[0]?.model ?? (machine.cpu.model || machineName(machine)),
    libs: { ...machine.frameworks, ...(version !== undefined && { [runtime]: version }) },
  };
}

/** Errors that are not known are NaN, with which an engine that asks for small errors does not apply the solution. */
function errorFields(errors: OutputErrors | null): {
  max_relative_error: number | "NaN";
  max_absolute_error: number | "NaN";
} {
  return { max_relative_error: errors?.relative ?? "NaN", max_absolute_error: errors?.absolute ?? "NaN" };
}

function logOf({ receipt, server, receiptPath, errors }: RankedResult): string {
  const { board, target, submissionId, runId } = receipt;
  const unknown = errors.includes(null) ? " The errors of the outputs are not known." : "";
  return `Judged by KernelBot: submission ${submissionId} on the leaderboard ${board} on ${target} of ${server}, run ${runId}, confirmed by a re-run on fresh seeds. Signed receipt: ${receiptPath}.${unknown}`;
}
