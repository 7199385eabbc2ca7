/** Parts of Python files that the reference and the submissions of a problem share. */
import { floatTypeOf, type DType, type Program, type Value } from "../program.ts";

/** Returns the tuple of a shape: `(rows,)`. */
export function shapeText(shape: readonly string[]): string {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

/** Names of what a kernel gets before the output buffers. */
export function operands({ inputs, parameters }: Program): string[] {
  return [...inputs.map(({ name }) => name), ...parameters];
}

/** Names of everything that a kernel gets, the output buffers last. */
export function dataNames(program: Program): string[] {
  return [...operands(program), ...program.outputs.map(({ name }) => name)];
}

/**
 * Returns the function `program`, which computes the outputs in the precision of its arguments.
 *
 * @param skipped Operation that is left out.
 */
export function programFunction(program: Program, skipped?: Program["steps"][number]): string {
  const { steps, outputs } = program;
  const lines = steps.map((step) => `    ${step.result.name} = ${step === skipped ? step.skipped : step.code}`);
  return [
    `def program(${operands(program).join(", ")}):`,
    `    """Returns ${listed(outputs.map(({ name }) => name))} in the precision of the arguments."""`,
    ...lines,
    `    return ${outputs.map(({ name }) => name).join(", ")}`,
  ].join("\n");
}

/**
 * Returns a call of `program`, with its floating-point arguments converted by a method such as `double`; in float32 by
 * default.
 */
export function programCall(program: Program, method?: "double"): string {
  const type = floatTypeOf(program);
  const conversion = method ?? (type === "float32" || type === null ? undefined : "float");
  const argument = ({ name, dtype }: { name: string; dtype: DType }): string =>
    conversion === undefined || isInteger(dtype) ? name : `${name}.${conversion}()`;
  return `program(${[...program.inputs.map(argument), ...program.parameters].join(", ")})`;
}

export function isInteger(dtype: DType): boolean {
  return dtype === "int32" || dtype === "int64";
}

/** Returns the import of `torch.nn.functional` if the program uses it. */
export function functionalImport({ steps }: Program): string[] {
  return steps.some(({ code }) => code.includes("F.")) ? ["from torch.nn import functional as F"] : [];
}

/** Joins names as in a sentence: `x, w and y`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the position of a dimension in a tensor; null if it has none of this name. */
export function axisOf({ shape }: Value, dimension: string): number | null {
  const axis = shape.indexOf(dimension);
  return axis < 0 ? null : axis;
}
