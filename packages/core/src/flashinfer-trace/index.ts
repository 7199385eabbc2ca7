/** FlashInfer Trace documents: schemas, import of definitions, and solutions as submissions. */
export {
  resolveAxes,
  resolveShape,
  TraceDefinition,
  TraceDtype,
  type TraceAxis,
  type TraceTensor,
} from "./definition.ts";
export { DescribedInputs, type DescribedValue } from "./described-inputs.ts";
export { formatTraceFault, parseDocument, parseJson, type TraceFault } from "./faults.ts";
export { pathName } from "./path-name.ts";
export { traceProblem, type TraceImport, type TraceProblem, type TraceProblemFiles } from "./problem.ts";
export {
  headerLength,
  LENGTH_BYTES,
  parseTensorHeader,
  storedDtype,
  tensorFile,
  type StoredTensor,
  type TensorToStore,
} from "./safetensors.ts";
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
