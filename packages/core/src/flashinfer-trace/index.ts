/** FlashInfer Trace documents: schemas, import of definitions, solutions as submissions, and export of results. */
export { TraceDefinition } from "./definition.ts";
export { derivedDocuments } from "./derived-documents.ts";
export { DescribedInputs, type DescribedValue } from "./described-inputs.ts";
export { formatTraceFault, parseDocument, parseJson, type TraceFault } from "./faults.ts";
export { isImportedDefinition, ownDocuments, type ProblemDocuments } from "./own-documents.ts";
export { pathName } from "./path-name.ts";
export { resultLines } from "./result.ts";
export { flashinferBenchFaults } from "./flashinfer-bench.ts";
export { traceProblem, type TraceImport, type TraceProblem, type TraceProblemFiles } from "./problem.ts";
export { headerLength, LENGTH_BYTES, parseTensorHeader, type StoredTensor } from "./safetensors.ts";
export { runsAs, Solution, type SolutionSpec } from "./solution.ts";
export { solutionFromSubmission, solutionToSubmission, submittedFile } from "./submission.ts";
export {
  DefinitionFacts,
  MAX_STORED_TENSOR_BYTES,
  type TensorContent,
  type TensorReader,
  type TraceSource,
  type TraceWorkload,
} from "./source.ts";
export { Trace, TraceStatus } from "./trace.ts";
export { Workload } from "./workload.ts";
