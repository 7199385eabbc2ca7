/**
 * Documents of a problem of our own form. Names and shapes of the definition come from the inputs that `generate_input`
 * returns for all cases: a size that is the same in all of them is a constant, any other is an axis of the workload.
 */
import { z } from "zod";
import { KernelBotError } from "../errors.ts";
import { casesFor, type Case, type Problem } from "../problem/spec.ts";
import { TraceDefinition, TraceDtype, type TraceAxis, type TraceTensor } from "./definition.ts";
import type { ProblemDocuments, WorkloadDocument } from "./own-documents.ts";
import { pathName } from "./path-name.ts";
import { storedDtype, tensorFile, type TensorToStore } from "./safetensors.ts";
import { Workload } from "./workload.ts";

/** Value of an input, as `kernelbot_tester.input_values` describes it. */
export const DescribedValue = z.union([
  z.object({
    dtype: z.string(),
    shape: z.array(z.int().nonnegative()),
    /** Whether the elements are standard normal, as random inputs of the documents. */
    isNormal: z.boolean(),
    /** Content; null if it is normal, or too large to be stored. */
    base64: z.string().nullable(),
  }),
  /** Python number as it is written, `1.0`; null if it depends on the seed. */
  z.object({ scalar: z.enum(["bool", "int", "float"]), text: z.string().nullable() }),
  /** Type of a value that documents do not have. */
  z.object({ other: z.string() }),
]);
export type DescribedValue = z.infer<typeof DescribedValue>;

/** Answer of `kernelbot_tester.input_values`: the values of each case in order, or why there are none. */
export const DescribedInputs = z.union([
  z.object({ cases: z.array(z.array(DescribedValue)) }),
  z.object({ failed: z.string() }),
  /** The problem's code cannot be run here. */
  z.object({ unavailable: z.string() }),
]);

export interface DerivationInput {
  problem: Problem;
  target: string;
  /** Names of the values of an input in order; null if they have none. */
  names: readonly string[] | null;
  /** Values of each test, then of each benchmark. */
  cases: readonly (readonly DescribedValue[])[];
  /** Returns the code of the reference, which defines `run`. */
  reference: (shapes: Pick<TraceDefinition, "axes" | "inputs" | "outputs">) => string;
}

const SCALAR_DTYPES = { bool: "bool", int: "int64", float: "float32" } as const;

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
    faults.push("task.py: input_t: the values have no names; write them in backticks below it: `(a, b, c)`");
  const { tests, benchmarks } = casesFor(spec, target);
  const shapes = names === null ? null : shapesOf(names, cases, [...tests, ...benchmarks], spec.outputs, faults);
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
    workloadDocument(problem, definition, values, timed[index] ?? [], tensors),
  );
  const byCase = new Map(benchmarks.map((values, index) => [caseKey(values), workloads[index]]));
  return {
    definition,
    definitionText: `${JSON.stringify(written, null, 2)}\n`,
    workloads,
    tensors,
    leftOut: [],
    workloadOf: (values) => byCase.get(caseKey(values)),
  };
}

function caseKey({ seed: _, ...parameters }: Case): string {
  return JSON.stringify(Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns axes and tensors; null after adding a fault. */
function shapesOf(
  names: readonly string[],
  cases: DerivationInput["cases"],
  parameters: readonly Case[],
  outputs: number,
  faults: string[],
): Pick<TraceDefinition, "axes" | "inputs" | "outputs"> | null {
  const before = faults.length;
  const axes = new AxisTable(parameters, new Set(names));
  const inputs: Record<string, TraceTensor> = {};
  const results: Record<string, TraceTensor> = {};
  for (const [position, name] of names.entries()) {
    const isOutput = position >= names.length - outputs;
    const field = `${isOutput ? "outputs" : "inputs"}.${name}`;
    const tensor = tensorOf(
      name,
      cases.map((values) => values[position]),
      axes,
      (what) => faults.push(`${field}${what}`),
    );
    if (tensor !== null) (isOutput ? results : inputs)[name] = tensor;
  }
  const bound = new Set(Object.values(inputs).flatMap(({ shape }) => shape ?? []));
  for (const [name, { shape }] of Object.entries(results)) {
    if (shape === null) faults.push(`outputs.${name}: must be a tensor`);
    for (const axis of shape ?? []) {
      if (axes.table[axis]?.type === "var" && !bound.has(axis))
        faults.push(`outputs.${name}.shape: no input has the size ${axis}, from which an engine could take it`);
    }
  }
  if (Object.values(inputs).every(({ shape }) => shape === null)) faults.push("inputs: must have a tensor");
  return faults.length > before ? null : { axes: axes.table, inputs, outputs: results };
}

function tensorOf(
  name: string,
  values: readonly (DescribedValue | undefined)[],
  axes: AxisTable,
  fault: (what: string) => void,
): TraceTensor | null {
  const [first] = values;
  const kinds = new Set(values.map(kindOf));
  if (kinds.size > 1) fault(`: is ${[...kinds].join(" in one case, and ")} in another`);
  else if (first === undefined) fault(": is missing in the input");
  else if ("other" in first) fault(`: is ${first.other}; documents have tensors and numbers only`);
  else if ("scalar" in first) return { shape: null, dtype: SCALAR_DTYPES[first.scalar] };
  else {
    const dtype = TraceDtype.safeParse(first.dtype);
    if (!dtype.success) {
      fault(`.dtype: ${first.dtype} is not a dtype of the documents`);
      return null;
    }
    const sizes = values.flatMap((value) => (value !== undefined && "shape" in value ? [value.shape] : []));
    const shape = first.shape.map((_, at) =>
      axes.axisOf(
        `${name}_${at}`,
        sizes.map((each) => each[at] ?? 0),
      ),
    );
    return { shape, dtype: dtype.data };
  }
  return null;
}

function kindOf(value: DescribedValue | undefined): string {
  if (value === undefined) return "missing";
  if ("other" in value) return value.other;
  return "scalar" in value
    ? `a Python ${value.scalar}`
    : `a tensor of ${value.dtype} with ${value.shape.length} dimensions`;
}

/** Axes by the sizes that they have in each case. */
class AxisTable {
  readonly table: Record<string, TraceAxis> = {};
  readonly #names = new Map<string, string>();
  readonly #parameters: Map<string, string>;
  readonly #taken: ReadonlySet<string>;

  constructor(cases: readonly Case[], taken: ReadonlySet<string>) {
    const [first = {}] = cases;
    this.#parameters = new Map(
      Object.keys(first)
        .toReversed()
        .map((name) => [cases.map((values) => values[name]).join(), name] as const),
    );
    this.#taken = taken;
  }

  /** Returns the axis with these sizes, named after the parameter of the cases that is equal to it. */
  axisOf(otherwise: string, sizes: readonly number[]): string {
    const key = sizes.join();
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const [first = 0] = sizes;
    const isConstant = sizes.every((size) => size === first);
    const plain = this.#parameters.get(key) ?? (isConstant ? `size_${first}` : otherwise);
    const name = this.#taken.has(plain) ? `${plain}_size` : plain;
    this.#names.set(key, name);
    this.table[name] = isConstant ? { type: "const", value: first } : { type: "var" };
    return name;
  }
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
  values: Case,
  described: readonly DescribedValue[],
  tensors: Map<string, Uint8Array>,
): WorkloadDocument {
  const words = Object.entries(values).flatMap(([name, value]) =>
    name === "seed" ? [] : `${name}${JSON.stringify(value)}`,
  );
  const uuid = pathName([spec.name, ...words].join("-"));
  const path = `blob/workloads/${pathName(spec.name)}/${pathName(spec.name)}/${pathName(spec.name)}_${uuid}.safetensors`;
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
