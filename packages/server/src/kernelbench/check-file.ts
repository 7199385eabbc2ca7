/** Checks submission files in a worker thread, because they have up to 32 MB. */
import type { CheckedKernelBenchEntry, CheckedSuite } from "@kernelbot/core";
import { compute } from "../compute/pool.ts";

/**
 * Checks the bytes of a submission file.
 * @throws KernelBotError `unavailable` when too many files are being checked.
 */
export function checkFile(bytes: Uint8Array, { problems }: CheckedSuite): Promise<CheckedKernelBenchEntry> {
  // Only the keys of the suite's problems are used; their files are not copied to the thread.
  const keys = problems.map(({ level, problem }) => ({ level, problem }));
  return compute("entryFile", { bytes, suite: { problems: keys } });
}
