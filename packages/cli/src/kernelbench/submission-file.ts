/** Check of a submission file, with an optional stricter check of its sources. */
import {
  checkEntry,
  checkEntryFile,
  strictFaults,
  type CheckedKernelBenchEntry,
  type CheckedSuite,
  type Precision,
} from "@kernelbot/core";

export const STRICT_OPTION = {
  strict: { type: "boolean", help: "Also reject code patterns that bypass the kernel" },
} as const;

export const STRICT_NOTE =
  "--strict reports as errors: caught exceptions, patched functions of torch or time, threads, Tensor subclasses, and kernels " +
  "that do not use the declared backend; and as warnings: PyTorch operators, streams, lower precision and pass statements.";

/**
 * Checks a submission file.
 * @param suite with its precision if it is a suite of a server
 */
export function checkedFile(
  text: string,
  suite: CheckedSuite & { precision?: Precision },
  strict: boolean,
): CheckedKernelBenchEntry {
  const checked = checkEntryFile(text, suite);
  if (!strict || checked.file === null) return checked;
  return checkEntry(JSON.parse(text), suite, strictFaults(checked.file, suite.precision ?? "fp32"));
}
