/** Workload: one case of a definition, with the size of each variable axis and the source of each input. */
import { z } from "zod";
import { Size, Text, Truth, withType } from "./values.ts";

const Source = z.preprocess(
  withType({ value: "scalar", path: "safetensors", tensor_key: "safetensors" }, "random"),
  z.discriminatedUnion(
    "type",
    [
      z.object({ type: z.literal("random") }),
      z.object({
        type: z.literal("scalar"),
        value: z.union([z.number(), z.boolean()], "must be a number, true or false"),
      }),
      z.object({ type: z.literal("safetensors"), path: Text, tensor_key: Text }),
      z.object({ type: z.literal("custom") }),
    ],
    "must have the type random, scalar (with value), safetensors (with path and tensor_key) or custom",
  ),
);

/** An element passes if `|got - expected| <= max_atol + max_rtol * |expected|`. */
const Tolerance = z.object({
  max_atol: z.number().default(0.01),
  max_rtol: z.number().default(0.01),
  /** Share of the elements that must pass. */
  required_matched_ratio: z.number().default(0.99),
  /** Largest error of any element; null without a limit. */
  max_error_cap: z.number().nullable().default(null),
  /** Whether -inf is correct where -inf is expected. */
  allow_negative_inf: Truth.default(false),
});

export const Workload = z
  .object({
    uuid: Text.max(200, "may have at most 200 characters"),
    axes: z.record(Text, Size),
    inputs: z.record(Text, Source),
    tolerance: Tolerance.optional(),
  })
  .superRefine(({ inputs }, context) => {
    const sources = Object.values(inputs);
    if (sources.some(({ type }) => type === "custom") && sources.some(({ type }) => type !== "custom"))
      context.addIssue({
        code: "custom",
        path: ["inputs"],
        message: "if one input is custom, all that are listed must be; leave out those that are random",
      });
  });
export type Workload = z.infer<typeof Workload>;
