/** Collects the inputs and operations of a program while its family draws them. */
import type { DType, FloatType, Input, Program, Step, Value } from "./program.ts";

/** How an input is drawn. */
type Distribution =
  | "normal"
  | "probability"
  | "around one"
  | { deviation: string; words: string }
  | { low: number | string; high: number | string };

export class Builder {
  readonly inputs: Input[] = [];
  readonly steps: Step[] = [];
  /** Parameters of the case that the program needs as numbers. */
  readonly parameters: string[] = [];
  /** Estimated time of the reference on a processor, in nanoseconds for each element of the largest tensor. */
  nsPerElement = 0;
  /** Number of operations whose results grow faster than their operands. */
  products = 0;
  /**
   * True if a few elements of the output may be equal for different inputs, within the tolerance: an operation maps many
   * values to one, as `relu` does, or the tolerance is wide.
   */
  flat: boolean;
  readonly dtype: FloatType;
  /** Least gain that the tolerance can tell from none. */
  readonly leastGain: number;

  constructor(dtype: FloatType, leastGain = 0.2) {
    this.dtype = dtype;
    this.leastGain = leastGain;
    this.flat = dtype !== "float32";
    if (dtype !== "float32") this.nsPerElement += 1;
  }

  /** Adds an input. Its name is the first of `names` that is free. */
  input(
    names: string | readonly string[],
    shape: readonly string[],
    index: readonly string[],
    distribution: Distribution = "normal",
    { dtype = this.dtype, partlyRead = false }: { dtype?: DType; partlyRead?: boolean } = {},
  ): Value {
    const free = [names].flat().find((name) => this.inputs.every((other) => other.name !== name));
    if (free === undefined) throw new Error(`all names of ${names.toString()} are taken`);
    const value = { name: free, shape, index, dtype, word: "", positive: false, bounded: false, wide: false, gain: 1 };
    this.inputs.push({ ...value, ...drawing(shape, distribution, dtype), partlyRead });
    return value;
  }

  /**
   * Adds an operation and returns its result.
   * @param definition Definition of an element of the result, such as `tanh(x[i, j])`.
   * @param like Value whose shape, index and properties the result has, except for those in `traits`.
   * @param ns Estimated time for each element.
   */
  step(
    word: string,
    {
      code,
      definition,
      like,
      ns,
      ...traits
    }: Partial<Value> & { code: string; definition: string; like: Value; ns: number },
  ): Value {
    const result = { ...like, word, ...traits, name: `h${this.steps.length + 1}` };
    const isSameShape = result.shape.join() === like.shape.join() && result.dtype === like.dtype;
    const formula = `${result.name}[${result.index.join(", ")}] = ${definition}`;
    this.steps.push({ word, result, code, formula, skipped: isSameShape ? like.name : null });
    this.nsPerElement += ns;
    return result;
  }

  /** Returns the program. The results that become outputs get the given names. */
  finish(
    outputs: Readonly<Record<string, Value>>,
    rest: Omit<Program, "inputs" | "parameters" | "steps" | "outputs" | "magnitude" | "operations"> &
      Partial<Pick<Program, "magnitude" | "operations">>,
  ): Program {
    const names = new Map(Object.entries(outputs).map(([name, { name: drawn }]) => [drawn, name]));
    const named = (text: string): string => text.replace(/\bh\d+\b/g, (drawn) => names.get(drawn) ?? drawn);
    const steps = this.steps.map(({ word, result, code, formula, skipped }) => ({
      word,
      result: { ...result, name: named(result.name) },
      code: named(code),
      formula: named(formula),
      skipped: skipped && named(skipped),
    }));
    return {
      inputs: this.inputs,
      parameters: this.parameters,
      steps,
      outputs: Object.values(outputs).map((value) => ({ ...value, name: named(value.name) })),
      magnitude: 1,
      operations: null,
      ...rest,
    };
  }
}

function drawing(
  shape: readonly string[],
  distribution: Distribution,
  dtype: DType,
): Pick<Input, "drawn" | "distribution"> {
  const sizes = shape.join(", ");
  if (distribution === "normal") return { drawn: `random.normal(${sizes})`, distribution: "normally distributed" };
  if (distribution === "probability") {
    return { drawn: `random.uniform(${sizes})`, distribution: "uniformly distributed from 0 to 1" };
  }
  if (distribution === "around one") {
    const words = "normally distributed around 1 with standard deviation 1/2";
    return { drawn: `random.normal(${sizes}).mul_(0.5).add_(1)`, distribution: words };
  }
  if ("deviation" in distribution) {
    const { deviation, words } = distribution;
    return {
      drawn: `random.normal(${sizes}).mul_(${deviation})`,
      distribution: `normally distributed with standard deviation ${words}`,
    };
  }
  const { low, high } = distribution;
  return {
    drawn: `random.integers(${low}, ${high}, ${sizes}, dtype=torch.${dtype})`,
    distribution: `uniformly distributed from ${low} to ${typeof high === "number" ? high - 1 : `${high} - 1`}`,
  };
}
