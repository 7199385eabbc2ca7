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
  strict: { type: "boolean", help: "Look for constructs by which a kernel passes without being one" },
} as const;

export const STRICT_NOTE =
  "--strict reads each source: caught exceptions, replaced functions of torch or time, threads, subclasses of Tensor and " +
  "a kernel that is not of the declared backend are errors; operators of PyTorch, streams, lower precision and pass are warnings.";

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
