/** Checks submission files in a worker thread: they have up to 32 MB. */
import type { CheckedEntry, CheckedSuite } from "@kernelbot/core";
import { compute } from "../compute/pool.ts";

/**
 * Checks the bytes of a submission file.
 * @throws KernelBotError `unavailable` where too many files are being checked.
 */
export function checkFile(bytes: Uint8Array, { problems }: CheckedSuite): Promise<CheckedEntry> {
  // Only the keys are read of a suite; its problems' files are not copied to the thread.
  const keys = problems.map(({ level, problem }) => ({ level, problem }));
  return compute("entryFile", { bytes, suite: { problems: keys } });
}
