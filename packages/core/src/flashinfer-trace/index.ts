/** FlashInfer Trace documents: schemas, import of definitions, and solutions as submissions. */
export { TraceDefinition } from "./definition.ts";
export { formatTraceFault, parseDocument, parseJson, type TraceFault } from "./faults.ts";
export { traceProblem, type TraceProblem, type TraceProblemFiles } from "./problem.ts";
export { headerLength, LENGTH_BYTES, parseTensorHeader, type StoredTensor } from "./safetensors.ts";
export { Solution } from "./solution.ts";
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
