/**
 * Axes and tensors of a definition that is derived from a problem. A size that is the same in all cases is a constant, any other
 * is an axis of the workload.
 */
import {
  type Case,
  type DescribedValue,
  type TraceAxis,
  type TraceDefinition,
  TraceDtype,
  type TraceTensor,
} from "@kernelbot/core";

const SCALAR_DTYPES = { bool: "bool", int: "int64", float: "float32" } as const;

export type DerivedShapes = Pick<TraceDefinition, "axes" | "inputs" | "outputs">;

/** Returns axes and tensors; null after adding a fault. */
export function derivedShapes(
  names: readonly string[],
  cases: readonly (readonly DescribedValue[])[],
  parameters: readonly Case[],
  outputs: number,
  faults: string[],
): DerivedShapes | null {
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
  if (faults.length > before) return null;
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
