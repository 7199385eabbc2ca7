/** Checks of a workload against its definition, and the sizes of its tensors. */
import { DTYPE_BITS, resolveAxes, resolveShape, type TraceTensor } from "./definition.ts";
import type { TraceFault } from "./faults.ts";
import type { TensorReader, TraceSource, TraceWorkload } from "./source.ts";

/** Inputs whose values are positions in other inputs; random values would read outside of them. */
const INDEX_INPUT =
  /(?:^|_)(?:indptr|indices|index|idx|block_tables?|page_tables?|seq_?lens?|cu_seq_?lens?(?:_[a-z]+)?|kv_lens?|lengths?|last_page_len)$/i;

/** Workload whose shapes are known. */
export interface ResolvedWorkload {
  source: TraceWorkload;
  axes: Map<string, number>;
  /** Bytes of all inputs and outputs. */
  bytes: number;
  /** Name of the file of each stored tensor, by input. */
  files: Record<string, string>;
  /** Text of these files, by name. */
  contents: Map<string, string>;
  /** Whether a tensor is drawn anew for each call. */
  isFresh: boolean;
  /** Why the workload cannot be imported, though it is valid; null if it can. */
  tooLarge: string | null;
}

/** Resolves a workload. Returns null after adding a fault for each reason. */
export function resolveWorkload(
  { definition }: TraceSource,
  source: TraceWorkload,
  read: TensorReader,
  faults: TraceFault[],
): ResolvedWorkload | null {
  const before = faults.length;
  const { workload, file } = source;
  const fault = (field: string, what: string) => faults.push({ file, field, what });
  const axes = resolveAxes(definition.axes, workload.axes, (axis, what) => fault(`axes.${axis}`, what));
  for (const [name, size] of Object.entries(workload.axes)) {
    if (!Object.hasOwn(definition.axes, name)) fault(`axes.${name}`, "is not an axis of the definition");
    else if (axes.has(name) && axes.get(name) !== size)
      fault(`axes.${name}`, `is ${size}, and the definition has ${axes.get(name)}`);
    else if (size === 0) fault(`axes.${name}`, "must be larger than 0");
  }
  for (const name of Object.keys(workload.inputs)) {
    if (!Object.hasOwn(definition.inputs, name)) fault(`inputs.${name}`, "is not an input of the definition");
  }
  const resolved: ResolvedWorkload = {
    ...{ source, axes, bytes: 0, files: {}, contents: new Map(), isFresh: false, tooLarge: null },
  };
  for (const [name, tensor] of Object.entries(definition.inputs))
    resolveInput(resolved, name, tensor, read, (what) => fault(`inputs.${name}`, what));
  for (const tensor of Object.values(definition.outputs)) resolved.bytes += bytesOf(tensor, axes) ?? 0;
  if (!Number.isSafeInteger(resolved.bytes)) fault("axes", "the tensors have more than 2^53 bytes");
  return faults.length > before ? null : resolved;
}

function resolveInput(
  resolved: ResolvedWorkload,
  name: string,
  tensor: TraceTensor,
  read: TensorReader,
  fault: (what: string) => void,
): void {
  const { workload } = resolved.source;
  const source = Object.hasOwn(workload.inputs, name) ? workload.inputs[name] : undefined;
  const type = source?.type ?? "random";
  // A Python scalar is stored as a tensor without dimensions.
  const isScalar = tensor.shape === null;
  if (isScalar && type !== "safetensors") return;
  const bytes = bytesOf(isScalar ? { ...tensor, shape: [] } : tensor, resolved.axes);
  if (bytes === null) return; // The fault of the axis is reported.
  resolved.bytes += bytes;
  if (type === "scalar") fault("is a tensor, so its source cannot be a scalar");
  if (type === "random" && tensor.dtype.startsWith("int") && INDEX_INPUT.test(name))
    fault("has positions in other inputs, and random values would be outside of them; use safetensors or custom");
  if (type !== "safetensors") resolved.isFresh ||= type === "custom" || bytes > 0;
  if (source?.type !== "safetensors") return;
  const content = read(source.path, source.tensor_key);
  if ("fault" in content) {
    fault(content.fault);
    return;
  }
  const { stored, sha256, base64 } = content;
  const shape = resolveShape(tensor, resolved.axes) ?? [];
  const of = `${JSON.stringify(source.tensor_key)} in ${JSON.stringify(source.path)}`;
  if (!stored.dtypes.includes(tensor.dtype)) fault(`${of} has the dtype ${stored.storedDtype}, not ${tensor.dtype}`);
  else if (stored.shape.join() !== shape.join() && !(isScalar && stored.shape.join() === "1"))
    fault(`${of} has the shape [${stored.shape.join(", ")}], not [${shape.join(", ")}]`);
  // Definitions do not say whether the last axis of elements of four bits counts elements or bytes.
  else if (![bytes, ...(tensor.dtype.startsWith("float4") ? [2 * bytes] : [])].includes(stored.end - stored.begin))
    fault(`${of} has ${stored.end - stored.begin} bytes, not ${bytes}`);
  else if (base64 === null)
    resolved.tooLarge = `inputs.${name}: the stored tensor has ${bytes} bytes; a problem file holds 740,000`;
  else {
    const file = `tensor-${sha256}.b64`;
    resolved.files[name] = file;
    resolved.contents.set(file, base64);
  }
}

/** Returns the bytes of a tensor; 0 for a scalar, null if the size of an axis is not known. */
export function bytesOf(tensor: TraceTensor, axes: ReadonlyMap<string, number>): number | null {
  if (tensor.shape === null) return 0;
  const shape = resolveShape(tensor, axes);
  return shape === null ? null : Math.ceil((shape.reduce((all, size) => all * size, 1) * DTYPE_BITS[tensor.dtype]) / 8);
}
