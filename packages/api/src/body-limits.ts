/** Maximum sizes of request bodies. */
import {
  formatBytes,
  IMPORT_SOURCE_BYTES,
  MAX_ARTIFACT_BYTES,
  MAX_ENTRY_BYTES,
  MAX_SOURCE_BYTES,
  MAX_SYNC_BYTES,
} from "@kernelbot/core";

export interface BodyLimit {
  readonly maxBytes: number;
  /** Message of the error response to a larger body. */
  readonly error: string;
}

/** Limit of a submission. A duel has two sources; JSON escapes at most double each; the rest is for other fields. */
export const DEFAULT_BODY: BodyLimit = {
  maxBytes: 2 * 2 * MAX_SOURCE_BYTES + 100_000,
  error: `The request is too large: a submission can have at most ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes.`,
};

/** Limit of a submission file of a KernelBench entry, with the other fields of the request. */
export const ENTRY_BODY: BodyLimit = {
  maxBytes: MAX_ENTRY_BYTES + 10_000,
  error: `A submission file can have at most ${MAX_ENTRY_BYTES.toLocaleString("en-US")} bytes.`,
};

/** Limit of a batch of evaluations: 16 kB for each of 1,000 sources. */
export const EVALUATIONS_BODY = bodyLimitOf("A batch of evaluations", 16_000_000);
export const ARTIFACT_BODY = bodyLimitOf("An artifact", MAX_ARTIFACT_BYTES);
/** Limit of a runner's report: samples and output of many cases. */
export const REPORT_BODY = bodyLimitOf("A report", 32_000_000);
/** Limit of a suite: the files of all its problems. */
export const SUITE_BODY = bodyLimitOf("A suite", 32_000_000);
export const PROBLEMS_BODY = bodyLimitOf("A problem tree", MAX_SYNC_BYTES);
/** Limit of an import batch: its sources, at most doubled by JSON escapes, and its rows and problems. */
export const IMPORT_BODY = bodyLimitOf("An import batch", 2 * IMPORT_SOURCE_BYTES + 8_000_000);

/** @param what What the body contains, at the beginning of a sentence. */
export function bodyLimitOf(what: string, maxBytes: number): BodyLimit {
  return { maxBytes, error: `${what} can have at most ${formatBytes(maxBytes)}.` };
}
