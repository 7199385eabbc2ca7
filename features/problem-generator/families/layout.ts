import { Builder } from "../builder.ts";
import { drawChain } from "../elementwise.ts";
import type { Program, Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawCubes, drawMatrices } from "../sizes.ts";
import { drawUnary } from "../unary.ts";
import { drawFloatType } from "./dtype.ts";

/** Orders of three dimensions other than their own. */
const ORDERS = [
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/** Transposes and permutations of dimensions, with operations on each element before and after. */
export function layout(random: Random): Program {
  const builder = new Builder(drawFloatType(random));
  const isMatrix = random.chance(40);
  const order = isMatrix ? [1, 0] : random.choice(ORDERS);
  const x = isMatrix
    ? builder.input("x", ["rows", "columns"], ["i", "j"])
    : builder.input("x", ["batch", "rows", "columns"], ["p", "i", "j"]);
  const before = random.chance(60) ? drawUnary(random, builder, x) : x;
  const permuted = permute(builder, before, order);
  const y = drawChain(random, builder, permuted, random.integer(1, 3));
  const cases = isMatrix
    ? drawMatrices(random, ["rows", "columns"], builder)
    : drawCubes(random, ["batch", "rows", "columns"], builder);
  return builder.finish({ y }, { cases, terms: 1, split: "rows" });
}

function permute(builder: Builder, value: Value, order: readonly number[]): Value {
  const { name, shape, index } = value;
  return builder.step(order.length === 2 ? "transpose" : `permute${order.join("")}`, {
    code: order.length === 2 ? `${name}.t()` : `${name}.permute(${order.join(", ")})`,
    definition: `${name}[${index.join(", ")}]`,
    like: value,
    ns: 1.5,
    shape: order.map((dimension) => shape[dimension] as string),
    index: order.map((dimension) => index[dimension] as string),
  });
}
