import { Builder } from "../builder.ts";
import { drawBinary, drawChain } from "../elementwise.ts";
import type { Program } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices } from "../sizes.ts";
import { drawFloatType } from "./dtype.ts";

/** Chains of operations on each element of matrices. */
export function elementwise(random: Random): Program {
  const builder = new Builder(drawFloatType(random));
  const x = builder.input("x", ["rows", "columns"], ["i", "j"]);
  const y = drawChain(random, builder, drawBinary(random, builder, x), random.integer(1, 4));
  const cases = drawMatrices(random, ["rows", "columns"], builder);
  return builder.finish({ y }, { cases, terms: 1, split: "rows" });
}
