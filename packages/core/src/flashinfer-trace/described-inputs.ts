/** Inputs of cases, as `kernelbot_tester.input_values` describes them. */
import { z } from "zod";

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
