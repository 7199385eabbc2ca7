export * from "./api.ts";
export * from "./combine.ts";
export * from "./entry.ts";
export * from "./entry-check.ts";
export * from "./excessive-speedup.ts";
export { findJsonFaults, type JsonFaults } from "./json-faults.ts";
export type { CheckedSuite } from "./kernel-check.ts";
export * from "./key.ts";
export * from "./kernels-document.ts";
export { kernelOf, type Answer } from "./model-answer.ts";
export {
  EvalResults,
  evalResults,
  LevelResult,
  MetadataEntry,
  metadataDocument,
  metadataEntry,
  ResultsDocument,
  resultsDocument,
  entryUniqueId,
} from "./documents.ts";
export { passAtK, passAtKs } from "./pass-at-k.ts";
export * from "./pass-at-k-document.ts";
export * from "./measured-results.ts";
export * from "../text/number-ranges.ts";
export * from "./score.ts";
export * from "./scoring.ts";
export { bestFirst, modelTimes, speedupBy, speedupOf, speedupsOf } from "./speedup.ts";
export * from "./stored-baseline.ts";
export { strictFaults } from "./strict-check.ts";
export * from "./suite-problem.ts";
export * from "./suite.ts";
