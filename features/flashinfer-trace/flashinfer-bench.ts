/** What flashinfer-bench does not read of documents that are valid by the other dialect. */
import type { ProblemDocuments } from "./own-documents.ts";

/** Dtypes of definitions that it does not have. */
const OTHER_DTYPES = ["float64", "float4_e2m1fn_x2"];

/** Returns the fields that it refuses, with the reason: `op_type: is missing`. */
export function flashinferBenchFaults({ definition, workloads }: ProblemDocuments): string[] {
  const { axes, inputs, outputs, op_type: kind } = definition;
  const tensors = [...Object.entries(inputs), ...Object.entries(outputs)];
  const custom = workloads.some(({ workload }) => Object.values(workload.inputs).some(({ type }) => type === "custom"));
  return [
    ...(kind == null || kind === "" ? ["op_type: is missing"] : []),
    ...Object.entries(axes).flatMap(([name, { type }]) => (type === "expr" ? [`axes.${name}: is an expression`] : [])),
    ...tensors.flatMap(([name, { shape, dtype }]) => [
      ...(shape ?? []).flatMap((axis) => (Object.hasOwn(axes, axis) ? [] : [`${name}.shape: ${axis} is not an axis`])),
      ...(OTHER_DTYPES.includes(dtype) ? [`${name}.dtype: ${dtype}`] : []),
    ]),
    ...(custom ? ["workloads: inputs are made by custom_inputs_entrypoint"] : []),
  ];
}
