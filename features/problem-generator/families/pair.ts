import { Builder } from "../builder.ts";
import { drawBinary } from "../elementwise.ts";
import { element, type Program, type Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices, largest } from "../sizes.ts";

interface Pair {
  outputs: Readonly<Record<string, { word: string; code: string; definition: string; isRow: boolean; isIndex?: true }>>;
  /** True if the operand may only be an input, since results of arithmetic could make two elements nearly equal. */
  isExact: boolean;
  hasTerms: boolean;
  least: number;
  ns: number;
}

/** In the texts, X is the operand, and `X[i, j]` an element of it. */
const PAIRS: readonly Pair[] = [
  {
    outputs: {
      largest: { word: "max", code: "X.max(1).values", definition: "max over j of X[i, j]", isRow: true },
      position: {
        word: "argmax",
        code: "X.max(1).indices",
        definition: "least j with X[i, j] = largest[i]",
        isRow: true,
        isIndex: true,
      },
    },
    isExact: true,
    hasTerms: false,
    least: 1,
    ns: 4,
  },
  {
    outputs: {
      least: { word: "min", code: "X.min(1).values", definition: "min over j of X[i, j]", isRow: true },
      position: {
        word: "argmin",
        code: "X.min(1).indices",
        definition: "least j with X[i, j] = least[i]",
        isRow: true,
        isIndex: true,
      },
    },
    isExact: true,
    hasTerms: false,
    least: 1,
    ns: 4,
  },
  {
    outputs: {
      least: { word: "min", code: "X.amin(1)", definition: "min over j of X[i, j]", isRow: true },
      largest: { word: "max", code: "X.amax(1)", definition: "max over j of X[i, j]", isRow: true },
    },
    isExact: false,
    hasTerms: false,
    least: 1,
    ns: 1,
  },
  {
    outputs: {
      mean: { word: "mean", code: "X.mean(1)", definition: "mean over j of X[i, j]", isRow: true },
      variance: {
        word: "variance",
        code: "X.var(1, unbiased=False)",
        definition: "mean over j of (X[i, j] - mean[i])^2",
        isRow: true,
      },
    },
    isExact: false,
    hasTerms: true,
    least: 2,
    ns: 6,
  },
  {
    outputs: {
      y: {
        word: "softmax",
        code: "torch.softmax(X, 1)",
        definition: "exp(X[i, j]) / (sum over l of exp(X[i, l]))",
        isRow: false,
      },
      lse: { word: "lse", code: "torch.logsumexp(X, 1)", definition: "log(sum over j of exp(X[i, j]))", isRow: true },
    },
    isExact: false,
    hasTerms: true,
    least: 2,
    ns: 5,
  },
  {
    outputs: {
      y: {
        word: "centre",
        code: "X - X.mean(1, keepdim=True)",
        definition: "X[i, j] - (mean over l of X[i, l])",
        isRow: false,
      },
      norm: {
        word: "norm",
        code: "torch.sqrt(X.square().mean(1))",
        definition: "sqrt(mean over j of X[i, j]^2)",
        isRow: true,
      },
    },
    isExact: false,
    hasTerms: true,
    least: 2,
    ns: 2.5,
  },
];

/** Programs with two outputs of each row. */
export function pair(random: Random): Program {
  const kind = random.choice(PAIRS);
  const builder = new Builder("float32", 0.5);
  const x = builder.input("x", ["rows", "columns"], ["i", "j"]);
  const operand = kind.isExact ? drawExact(random, builder, x) : drawBinary(random, builder, x);
  const outputs: Record<string, Value> = {};
  for (const [name, { word, code, definition, isRow, isIndex }] of Object.entries(kind.outputs)) {
    outputs[name] = builder.step(word, {
      code: code.replaceAll("X", operand.name),
      definition: definition.replaceAll(/\bX\b/g, operand.name),
      like: operand,
      ns: kind.ns / 2,
      ...(isRow && { shape: ["rows"], index: ["i"] }),
      ...(isIndex === true && { dtype: "int64" }),
    });
  }
  const cases = drawMatrices(random, ["rows", "columns"], builder, kind.least);
  const terms = kind.hasTerms ? largest(cases, ({ columns }) => columns as number) : 1;
  // A softmax has the smallest elements.
  const magnitude = kind.outputs["y"]?.word === "softmax" ? 1 / terms : kind.hasTerms ? 0.1 : 1;
  return builder.finish(outputs, { cases, terms, magnitude, split: "rows" });
}

/** Returns the input, or an operation on it that does not round. */
function drawExact(random: Random, builder: Builder, x: Value): Value {
  const word = random.choice(["none", "abs", "maximum", "minimum"] as const);
  if (word === "none") return x;
  if (word === "abs")
    return builder.step(word, { code: "torch.abs(x)", definition: `|${element(x)}|`, like: x, ns: 0.4 });
  const z = builder.input("z", x.shape, x.index);
  const definition = `${word.slice(0, 3)}(${element(x)}, ${element(z)})`;
  return builder.step(word, { code: `torch.${word}(x, z)`, definition, like: x, ns: 0.6 });
}
