/** Documents of a problem of our own form, derived from the inputs that its `generate_input` returns for all cases. */
import {
  type Case,
  casesFor,
  type DescribedValue,
  KernelBotError,
  pathName,
  type Problem,
  storedDtype,
  tensorFile,
  type TensorToStore,
  TraceDefinition,
  Workload,
} from "@kernelbot/core";
import { derivedShapes, type DerivedShapes } from "./derived-shapes.ts";
import type { ProblemDocuments, WorkloadDocument } from "./own-documents.ts";

export interface DerivationInput {
  problem: Problem;
  target: string;
  /** Names of the values of an input in order; null if they have none. */
  names: readonly string[] | null;
  /** Values of each test, then of each benchmark. */
  cases: readonly (readonly DescribedValue[])[];
  /** Returns the code of the reference, which defines `run`. */
  reference: (shapes: DerivedShapes) => string;
}

/**
 * Returns the documents of a problem.
 * @throws KernelBotError `unprocessable` that names each field which the documents cannot have
 */
export function derivedDocuments(input: DerivationInput): ProblemDocuments {
  const { problem, target, names, cases } = input;
  const { spec } = problem;
  const faults: string[] = [];
  if (spec.tolerance === null) faults.push("tolerance: is missing, since reference.py checks outputs itself");
  if (names === null)
    faults.push("task.py: input_t: is not a flat tuple whose values have names, written below it as `(a, b, c)`");
  const { tests, benchmarks } = casesFor(spec, target);
  const shapes = names === null ? null : derivedShapes(names, cases, [...tests, ...benchmarks], spec.outputs, faults);
  const timed = cases.slice(tests.length);
  if (shapes !== null) for (const values of timed) checkContents(names ?? [], values, spec.outputs, faults);
  if (shapes === null || faults.length > 0) {
    const list = [...new Set(faults)].join("; ");
    throw new KernelBotError("unprocessable", `${spec.name} cannot be written as a definition: ${list}`);
  }
  const definition = TraceDefinition.parse({
    name: spec.name,
    op_type: spec.name,
    description: spec.description.trim(),
    ...shapes,
    reference: input.reference(shapes),
  });
  const { tags: _, constraints: __, ...written } = definition;
  const tensors = new Map<string, Uint8Array>();
  const workloads = benchmarks.map((values, index) =>
    workloadDocument(problem, definition, { values, index, described: timed[index] ?? [] }, tensors),
  );
  return {
    definition,
    definitionText: `${JSON.stringify(written, null, 2)}\n`,
    workloads,
    tensors,
    leftOut: [],
    workloadOf: (values, index) =>
      caseKey(values) === caseKey(benchmarks[index] ?? {}) ? workloads[index] : undefined,
  };
}

function caseKey({ seed: _, ...parameters }: Case): string {
  return JSON.stringify(Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Adds a fault for each input of a timed case whose content documents cannot have. */
function checkContents(
  names: readonly string[],
  values: readonly DescribedValue[],
  outputs: number,
  faults: string[],
): void {
  for (const [position, name] of names.slice(0, names.length - outputs).entries()) {
    const value = values[position];
    if (value === undefined || "other" in value) continue;
    if ("scalar" in value && value.text === null) faults.push(`inputs.${name}: a number that depends on the seed`);
    if ("shape" in value && value.shape.includes(0)) faults.push(`inputs.${name}.shape: has the size 0`);
    if ("shape" in value && !value.isNormal && value.base64 === null)
      faults.push(`inputs.${name}: is not standard normal, and too large to be stored with the workload`);
  }
}

function workloadDocument(
  { spec }: Problem,
  definition: TraceDefinition,
  { values, index, described }: { values: Case; index: number; described: readonly DescribedValue[] },
  tensors: Map<string, Uint8Array>,
): WorkloadDocument {
  const words = Object.entries(values).flatMap(([name, value]) =>
    name === "seed" ? [] : `${name}${JSON.stringify(value)}`,
  );
  const prefix = pathName(spec.name).slice(0, 60);
  // The number distinguishes cases that differ in their seed only.
  const uuid = pathName([prefix, index + 1, ...words].join("-")).slice(0, 100);
  const path = `blob/workloads/${pathName(spec.name)}/${pathName(spec.name)}/${prefix}_${uuid}.safetensors`;
  const stored = new Map<string, TensorToStore>();
  const sizes: Record<string, number> = {};
  const inputs = Object.entries(definition.inputs).map(([name, { shape, dtype }], position) => {
    const value = described[position];
    if (value === undefined || "other" in value) return "";
    if ("scalar" in value) return `${JSON.stringify(name)}: {"type": "scalar", "value": ${value.text}}`;
    for (const [at, axis] of (shape ?? []).entries()) {
      if (definition.axes[axis]?.type === "var") sizes[axis] = value.shape[at] ?? 0;
    }
    if (value.isNormal) return `${JSON.stringify(name)}: {"type": "random"}`;
    const bytes = Uint8Array.from(atob(value.base64 ?? ""), (letter) => letter.charCodeAt(0));
    stored.set(name, { dtype: storedDtype(dtype), shape: value.shape, bytes });
    return `${JSON.stringify(name)}: ${JSON.stringify({ type: "safetensors", path, tensor_key: name })}`;
  });
  if (stored.size > 0) tensors.set(path, tensorFile(stored));
  const tolerance = {
    max_atol: spec.tolerance?.atol ?? 0,
    max_rtol: spec.tolerance?.rtol ?? 0,
    required_matched_ratio: 1,
  };
  const text = `{"uuid": ${JSON.stringify(uuid)}, "axes": ${JSON.stringify(sizes)}, "inputs": {${inputs.join(", ")}}, "tolerance": ${JSON.stringify(tolerance)}}`;
  const line = `{"definition": ${JSON.stringify(definition.name)}, "workload": ${text}, "solution": null, "evaluation": null}`;
  return { workload: Workload.parse(JSON.parse(text)), text, line, form: "trace" };
}
