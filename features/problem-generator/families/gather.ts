import { Builder } from "../builder.ts";
import { drawChain } from "../elementwise.ts";
import type { Case, Cases, Program } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices } from "../sizes.ts";
import { drawFloatType } from "./dtype.ts";

const KINDS = ["select", "bag", "scatter"] as const;

/** Rows that are selected, added up or distributed by indices. */
export function gather(random: Random): Program {
  const kind = random.choice(KINDS);
  if (kind === "scatter") return scatter(random, new Builder("float32", 0.35));
  const builder = new Builder(kind === "bag" ? "float32" : drawFloatType(random), 0.35);
  const isBag = kind === "bag";
  const bag = isBag ? random.choice([3, 4, 8]) : 1;
  const t = builder.input("table", ["vocabulary", "width"], ["v", "j"], "normal", { partlyRead: true });
  builder.input(
    "index",
    isBag ? ["count", String(bag)] : ["count"],
    isBag ? ["i", "l"] : ["i"],
    { low: 0, high: "vocabulary" },
    { dtype: "int64" },
  );
  const selected = builder.step(isBag ? `bag${bag}` : "select", {
    code: isBag ? `table[index].mean(1)` : "table[index]",
    definition: isBag ? "mean over l of table[index[i, l], j]" : "table[index[i], j]",
    like: t,
    ns: isBag ? bag : 1,
    shape: ["count", "width"],
    index: ["i", "j"],
  });
  const y = drawChain(random, builder, selected, random.integer(isBag ? 0 : 1, 3));
  const cases = withParameter("vocabulary", drawMatrices(random, ["count", "width"], builder), {
    test: () => random.choice([5, 7, 11]),
    cpu: () => random.choice([1000, 3000, 5000]),
    gpu: () => random.choice([32_000, 50_000, 128_000]),
  });
  return builder.finish({ y }, { cases, terms: bag, split: "count" });
}

function scatter(random: Random, builder: Builder): Program {
  const x = builder.input("x", ["count", "width"], ["l", "j"]);
  builder.input("index", ["count"], ["l"], { low: 0, high: "bins" }, { dtype: "int64" });
  builder.parameters.push("bins");
  const added = builder.step("indexadd", {
    code: "torch.zeros(bins, x.shape[1], dtype=x.dtype, device=x.device).index_add(0, index, x)",
    definition: "sum over l with index[l] = i of x[l, j]",
    like: x,
    ns: 1.5,
    shape: ["bins", "width"],
    index: ["i", "j"],
  });
  const y = drawChain(random, builder, added, random.integer(0, 2));
  const cases = withParameter("bins", drawMatrices(random, ["count", "width"], builder), {
    test: ({ count = 1 }) => 7 + Math.floor(count / 4),
    cpu: ({ count = 1 }) => 2 + Math.floor(count / random.choice([2, 4])),
    gpu: ({ count = 1 }) => 2 + Math.floor(count / random.choice([2, 4, 8])),
  });
  // About count / bins terms; a bin of many more is rare.
  return builder.finish({ y }, { cases, terms: 64, split: "width" });
}

/** Adds a parameter to every case. */
function withParameter(
  name: string,
  { tests, cpu, gpu }: Cases,
  draw: Record<"test" | "cpu" | "gpu", (sizes: Case) => number>,
): Cases {
  const add = (value: (sizes: Case) => number) => (sizes: Case) => ({ ...sizes, [name]: value(sizes) });
  return { tests: tests.map(add(draw.test)), cpu: cpu.map(add(draw.cpu)), gpu: gpu.map(add(draw.gpu)) };
}
