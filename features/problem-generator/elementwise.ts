/** Operations on each element, of which the chains and epilogues of programs are drawn. */
import type { Builder } from "./builder.ts";
import { element, type Value } from "./program.ts";
import type { Random } from "./random.ts";
import { drawUnary } from "./unary.ts";

interface Binary {
  word: string;
  /** Python expression of the operands A and B. */
  code: string;
  /** Definition for the operands A and B; the code if absent. */
  formula?: string;
  /** Shape of the second operand: that of the first, or that of its last dimension. */
  operand: "same" | "last";
  isProduct: boolean;
  /** Time on a processor, in nanoseconds for each element. */
  ns: number;
}

const BINARY: readonly Binary[] = [
  { word: "add", code: "A + B", operand: "same", isProduct: false, ns: 0.6 },
  { word: "sub", code: "A - B", operand: "same", isProduct: false, ns: 0.6 },
  { word: "mul", code: "A * B", operand: "same", isProduct: true, ns: 0.6 },
  { word: "maximum", code: "torch.maximum(A, B)", formula: "max(A, B)", operand: "same", isProduct: false, ns: 0.6 },
  { word: "gate", code: "A * torch.sigmoid(B)", formula: "A / (1 + exp(-B))", operand: "same", isProduct: true, ns: 2 },
  { word: "bias", code: "A + B", operand: "last", isProduct: false, ns: 0.5 },
  { word: "scale", code: "A * B", operand: "last", isProduct: true, ns: 0.5 },
];

/** Adds an operation with another input, of the same shape or of that of the last dimension. */
export function drawBinary(random: Random, builder: Builder, value: Value): Value {
  const isUsed = (name: string): boolean => builder.steps.some(({ word }) => word === name);
  const fitting = BINARY.filter(
    ({ word, operand, isProduct }) =>
      !isUsed(word) &&
      !(isProduct && builder.products >= 2) &&
      !(operand === "last" && value.shape.length < 2) &&
      // Of a large and a small value, the maximum is the large one.
      !(word === "maximum" && value.wide),
  );
  const {
    word,
    code,
    formula = code,
    operand,
    isProduct,
    ns,
  } = random.choice(fitting.length > 0 ? fitting : BINARY.slice(0, 1));
  if (isProduct) builder.products += 1;
  const isSame = operand === "same";
  const other = builder.input(
    isSame ? ["z", "r", "g", "u", "v", "t"] : word === "bias" ? ["b", "c", "d"] : ["s", "a", "e"],
    isSame ? value.shape : value.shape.slice(-1),
    isSame ? value.index : value.index.slice(-1),
    word === "scale" ? "around one" : "normal",
  );
  return builder.step(word, {
    code: code.replace("A", value.name).replace("B", other.name),
    definition: formula.replace("A", element(value)).replace("B", element(other)),
    like: value,
    ns,
    positive: false,
    bounded: false,
    gain: word === "maximum" ? value.gain * 0.7 : value.gain,
  });
}

/** Adds `count` operations on each element; about every second one has another input. */
export function drawChain(random: Random, builder: Builder, start: Value, count: number): Value {
  let value = start;
  for (let step = 0; step < count; step += 1) {
    value = random.chance(50) ? drawUnary(random, builder, value) : drawBinary(random, builder, value);
  }
  return value;
}
