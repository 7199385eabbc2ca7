/** The program of a generated problem: its inputs, and the operations that lead from them to the outputs. */

export type FloatType = "float32" | "float16" | "bfloat16";
export type DType = FloatType | "int32" | "int64";

/** Tensor in a program. */
export interface Value {
  name: string;
  /** Size of each dimension: a Python expression of the parameters of a case, such as `rows`. */
  shape: readonly string[];
  /** Name of the index of each dimension in formulas. */
  index: readonly string[];
  dtype: DType;
  /** Name of the operation that made it; empty for inputs. */
  word: string;
  /** True if no element is negative. */
  positive: boolean;
  /** True if no element is beyond -1 and 1. */
  bounded: boolean;
  /** True if elements may be far from the range from -3 to 3. */
  wide: boolean;
  /** How much a small change of an input changes an element, relative to identity; about 1 for most operations. */
  gain: number;
}

export interface Input extends Value {
  /** Python expression that draws the tensor from `random`, before the conversion to its dtype. */
  drawn: string;
  /** Its distribution, in words. */
  distribution: string;
  /** True if a kernel may leave parts of it unread. */
  partlyRead: boolean;
}

/** Operation of a program. */
export interface Step {
  /** Word for the operation in the problem's name. */
  word: string;
  result: Value;
  /** Python expression of its result. */
  code: string;
  /** Its definition, element by element: `h1[i, j] = tanh(x[i, j])`. */
  formula: string;
  /** Value that has its shape, so that a kernel may forget the operation; null if none has. */
  skipped: string | null;
}

export type Case = Readonly<Record<string, number>>;

/** Cases of a problem without their seeds. */
export interface Cases {
  /** At least five, of different sizes. */
  tests: readonly Case[];
  /** Benchmarks of processors: the reference takes between 50 us and 5 ms. */
  cpu: readonly Case[];
  /** Benchmarks of accelerators: the reference takes at least tens of microseconds. */
  gpu: readonly Case[];
}

/** Everything that the files of a problem are written from. */
export interface Program {
  inputs: readonly Input[];
  /** Parameters of the case that are passed to the kernel as numbers, after the inputs. */
  parameters: readonly string[];
  steps: readonly Step[];
  outputs: readonly Value[];
  cases: Cases;
  /** Number of terms that are added up for an element of the output, at most over all cases. */
  terms: number;
  /** Typical magnitude of the smallest outputs, for the absolute tolerance. */
  magnitude: number;
  /** Dimension along which parts of the output can be computed separately. */
  split: string;
  /** Python expression of the operations that no algorithm can do without; null if only memory traffic is declared. */
  operations: string | null;
}

/** Formats an element of a tensor: `x[i, j]`. */
export function element({ name, index }: Pick<Value, "name" | "index">): string {
  return `${name}[${index.join(", ")}]`;
}

/** Returns the type of the floating-point tensors of a program; null if it has only integers. */
export function floatTypeOf({ inputs }: Program): FloatType | null {
  for (const { dtype } of inputs) if (dtype !== "int32" && dtype !== "int64") return dtype;
  return null;
}
