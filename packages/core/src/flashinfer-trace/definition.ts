/** Definition: an operator with its axes, inputs, outputs and a reference in PyTorch. */
import { z } from "zod";
import { evaluateAxis } from "./axis-expression.ts";
import { Identifier, OptionalText, Size, Text, withType } from "./values.ts";

/** Bits of an element, by dtype. Two elements of 4 bits share a byte. */
export const DTYPE_BITS = {
  float64: 64,
  float32: 32,
  float16: 16,
  bfloat16: 16,
  float8_e4m3fn: 8,
  float8_e5m2: 8,
  float4_e2m1: 4,
  float4_e2m1fn_x2: 4,
  int64: 64,
  int32: 32,
  int16: 16,
  int8: 8,
  bool: 8,
} as const;
export const TraceDtype = z.enum(
  Object.keys(DTYPE_BITS) as [keyof typeof DTYPE_BITS],
  `must be one of ${Object.keys(DTYPE_BITS).join(", ")}`,
);
export type TraceDtype = z.infer<typeof TraceDtype>;

const Axis = z.preprocess(
  withType({ value: "const", expression: "expr" }, "var"),
  z.discriminatedUnion(
    "type",
    [
      z.object({ type: z.literal("const"), value: Size, description: OptionalText }),
      z.object({ type: z.literal("var"), description: OptionalText }),
      z.object({ type: z.literal("expr"), expression: Text, description: OptionalText }),
    ],
    "must have the type const (with value), var or expr (with expression)",
  ),
);
export type TraceAxis = z.infer<typeof Axis>;

const Shape = z
  .array(z.string("must be a list of names of axes"), "must be a list of names of axes, or null for a Python scalar")
  .nullable();
/** Tensor, or a Python scalar if its shape is null. */
export const TraceTensor = z.object({ shape: Shape, dtype: TraceDtype, description: OptionalText });
export type TraceTensor = z.infer<typeof TraceTensor>;

const Fields = z.object({
  name: Text,
  op_type: OptionalText,
  axes: z.record(Text, Axis),
  inputs: z.record(Identifier, TraceTensor),
  outputs: z.record(Identifier, TraceTensor),
  reference: Text,
  tags: z.array(z.string()).default([]),
  description: OptionalText,
  constraints: z.array(z.string()).default([]),
  custom_inputs_entrypoint: Identifier.nullish(),
  hf_id: OptionalText,
});

export const TraceDefinition = Fields.superRefine((definition, context) => {
  const fault = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  for (const part of ["inputs", "outputs"] as const) {
    for (const [name, { shape }] of Object.entries(definition[part])) {
      for (const axis of shape ?? []) {
        if (!Object.hasOwn(definition.axes, axis) && !/^\d{1,15}$/.test(axis))
          fault([part, name, "shape"], `${JSON.stringify(axis)} is neither an axis nor a size`);
      }
    }
  }
  for (const name of Object.keys(definition.outputs)) {
    if (Object.hasOwn(definition.inputs, name)) fault(["outputs", name], "is the name of an input, too");
  }
});
export type TraceDefinition = z.infer<typeof TraceDefinition>;

/**
 * Returns the size of every axis, with expressions evaluated in their order.
 * @param variable sizes of the axes of type `var`
 * @param fault receives the axis and what is wrong with it; the axis is left out
 */
export function resolveAxes(
  axes: TraceDefinition["axes"],
  variable: Readonly<Record<string, number>>,
  fault: (axis: string, what: string) => void,
): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, axis] of Object.entries(axes)) {
    if (axis.type === "const") sizes.set(name, axis.value);
    const value = axis.type === "var" && Object.hasOwn(variable, name) ? variable[name] : undefined;
    if (value !== undefined) sizes.set(name, value);
    else if (axis.type === "var") fault(name, "is missing in the workload");
  }
  for (const [name, axis] of Object.entries(axes)) {
    if (axis.type !== "expr") continue;
    try {
      sizes.set(name, evaluateAxis(axis.expression, sizes));
    } catch (error) {
      fault(name, `the expression ${(error as Error).message}`);
    }
  }
  return sizes;
}

/** Returns the sizes of a tensor; null if an axis has none. Of a scalar, the empty list. */
export function resolveShape({ shape }: TraceTensor, axes: ReadonlyMap<string, number>): number[] | null {
  const sizes = (shape ?? []).map((axis) => axes.get(axis) ?? (/^\d+$/.test(axis) ? Number(axis) : undefined));
  return sizes.every((size) => size !== undefined) ? sizes : null;
}
