import { Builder } from "../builder.ts";
import { element, type Program, type Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices } from "../sizes.ts";

const RANGE = { low: -100, high: 100 };

interface Operation {
  word: string;
  /** Expression in Python of two elements; the second is another input. */
  code: (a: string, b: string) => string;
  formula: (a: string, b: string) => string;
  isUnary?: true;
}

const OPERATIONS: readonly Operation[] = [
  { word: "add", code: (a, b) => `${a} + ${b}`, formula: (a, b) => `${a} + ${b}` },
  { word: "sub", code: (a, b) => `${a} - ${b}`, formula: (a, b) => `${a} - ${b}` },
  { word: "mul", code: (a, b) => `${a} * ${b}`, formula: (a, b) => `${a} * ${b}` },
  { word: "xor", code: (a, b) => `${a} ^ ${b}`, formula: (a, b) => `${a} xor ${b}, bit by bit` },
  { word: "max", code: (a, b) => `torch.maximum(${a}, ${b})`, formula: (a, b) => `max(${a}, ${b})` },
  {
    word: "select",
    code: (a, b) => `torch.where(${a} > ${b}, ${a}, -${b})`,
    formula: (a, b) => `(${a} if ${a} > ${b} else -${b})`,
  },
  { word: "shift", code: (a) => `${a} << 2`, formula: (a) => `4 * ${a}`, isUnary: true },
  {
    word: "mod",
    code: (a) => `torch.remainder(${a}, 61)`,
    formula: (a) => `${a} modulo 61, from 0 to 60`,
    isUnary: true,
  },
  { word: "abs", code: (a) => `torch.abs(${a})`, formula: (a) => `|${a}|`, isUnary: true },
];

const ENDS = ["none", "sum", "cumsum", "bincount"] as const;

/** Integer arithmetic on each element, and exact reductions, scans and histograms. */
export function integer(random: Random): Program {
  const builder = new Builder("float32");
  const dtype = random.choice(["int32", "int32", "int64"] as const);
  const end = random.choice(ENDS);
  if (end === "bincount") return histogram(random, builder);
  const operand = (name: string | readonly string[]): Value =>
    builder.input(name, ["rows", "columns"], ["i", "j"], RANGE, { dtype });
  let value: Value = operand("x");
  for (let count = random.integer(end === "none" ? 2 : 1, 3); count > 0; count -= 1) {
    const used = new Set(builder.steps.map(({ word }) => word));
    const isFirst = builder.steps.length === 0;
    const op = random.choice(
      OPERATIONS.filter(({ word, isUnary }) => !used.has(word) && !(isFirst && isUnary === true)),
    );
    const other = op.isUnary === true ? value : operand(["z", "u", "v", "t"]);
    value = builder.step(op.word, {
      code: op.code(value.name, other.name),
      definition: op.formula(element(value), element(other)),
      like: value,
      ns: op.word === "mod" ? 12 : op.word === "select" ? 3 : 0.6,
    });
  }
  builder.flat = true;
  if (end !== "none") value = addEnd(builder, value, end);
  const cases = drawMatrices(random, ["rows", "columns"], builder);
  return builder.finish({ y: value }, { cases, terms: 1, split: "rows" });
}

function addEnd(builder: Builder, value: Value, end: "sum" | "cumsum"): Value {
  const { name } = value;
  const row = { shape: ["rows"], index: ["i"] };
  const one = element(value);
  if (end === "sum") {
    const definition = `sum over j of ${one}`;
    return builder.step("rowsum", { code: `${name}.sum(1)`, definition, like: value, ns: 0.8, ...row, dtype: "int64" });
  }
  const definition = `sum over l <= j of ${name}[i, l]`;
  return builder.step("cumsum", { code: `torch.cumsum(${name}, 1)`, definition, like: value, ns: 2, dtype: "int64" });
}

function histogram(random: Random, builder: Builder): Program {
  const bins = random.choice([16, 64, 100, 256]);
  const size = (count: number) => ({ size: count });
  const x = builder.input("x", ["size"], ["l"], { low: 0, high: bins }, { dtype: "int64" });
  const y = builder.step("bincount", {
    code: `torch.bincount(x, minlength=${bins})`,
    definition: "number of l with x[l] = i",
    like: x,
    ns: 2,
    shape: [String(bins)],
    index: ["i"],
  });
  const cases = {
    tests: [17, random.choice([31, 33]), 64, random.choice([127, 255]), 1000, random.choice([4097, 8191])].map(size),
    cpu: [60_000, random.choice([200_000, 300_000]), random.choice([700_000, 1_000_000])].map(size),
    gpu: [2 ** 22, 2 ** 24, 2 ** 26].map(size),
  };
  return builder.finish({ y }, { cases, terms: 1, split: "size" });
}
