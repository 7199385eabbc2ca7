import { Builder } from "../builder.ts";
import { drawChain } from "../elementwise.ts";
import type { Cases, Program, Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawProducts, largest } from "../sizes.ts";
import { drawUnary } from "../unary.ts";

/** Operations of a product that remain with a scheme like Strassen's, which saves an eighth in each halving. */
const STRASSEN = (sizes: string, least: string) => `2 * ${sizes} * 7 ** halvings(${least}) // 8 ** halvings(${least})`;

/** Standard deviation of the second operand with which a product has elements of order 1. */
const SCALED = { deviation: "k**-0.5", words: "1 / sqrt(k)" };

/** Products of matrices with an epilogue, and gated pairs of products. */
export function matmul(random: Random): Program {
  const builder = new Builder("float32", 0.4);
  const x = builder.input("x", ["m", "k"], ["i", "l"]);
  const isGated = random.chance(20);
  let value = product(random, builder, x, "w");
  if (isGated) {
    const gate = product(random, builder, x, "g");
    const activated = drawUnary(random, builder, value);
    value = builder.step("mul", {
      code: `${activated.name} * ${gate.name}`,
      definition: `${activated.name}[i, j] * ${gate.name}[i, j]`,
      like: activated,
      ns: 0.6,
      positive: false,
      bounded: false,
    });
  }
  const y = drawChain(random, builder, value, isGated ? random.integer(0, 1) : random.integer(1, 4));
  const cases = drawProducts(random);
  const count = isGated ? "4 * " : "2 * ";
  const operations = STRASSEN("m * n * k", "m, n, k").replace("2 * ", count);
  return builder.finish({ y }, { cases, terms: depth(cases), split: "m", operations });
}

/** Adds the product of x, of shape (m, k), with another matrix, which is drawn as (k, n) or as its transpose. */
function product(random: Random, builder: Builder, x: Value, name: string): Value {
  const isTransposed = random.chance(40);
  const shape = isTransposed ? (["n", "k"] as const) : (["k", "n"] as const);
  const index = isTransposed ? (["j", "l"] as const) : (["l", "j"] as const);
  const w = builder.input(name, shape, index, SCALED);
  return builder.step(isTransposed ? "linear" : "matmul", {
    code: isTransposed ? `${x.name} @ ${w.name}.t()` : `${x.name} @ ${w.name}`,
    definition: `sum over l of ${x.name}[i, l] * ${w.name}[${index.join(", ")}]`,
    like: x,
    ns: 0,
    shape: ["m", "n"],
    index: ["i", "j"],
  });
}

/** Products of batches of matrices with an epilogue. */
export function batchedMatmul(random: Random): Program {
  const builder = new Builder("float32", 0.4);
  const x = builder.input("x", ["batch", "m", "k"], ["p", "i", "l"]);
  const isTransposed = random.chance(50);
  const w = builder.input(
    "w",
    isTransposed ? ["batch", "n", "k"] : ["batch", "k", "n"],
    isTransposed ? ["p", "j", "l"] : ["p", "l", "j"],
    SCALED,
  );
  const value = builder.step("bmm", {
    code: `torch.bmm(x, w${isTransposed ? ".transpose(1, 2)" : ""})`,
    definition: `sum over l of x[p, i, l] * w[${w.index.join(", ")}]`,
    like: x,
    ns: 0,
    shape: ["batch", "m", "n"],
    index: ["p", "i", "j"],
  });
  const y = drawChain(random, builder, value, random.integer(0, 3));
  const cases = drawBatches(random);
  const operations = STRASSEN("batch * m * n * k", "m, n, k");
  return builder.finish({ y }, { cases, terms: depth(cases), split: "batch", operations });
}

function depth(cases: Cases): number {
  return largest(cases, ({ k }) => k as number);
}

function drawBatches(random: Random): Cases {
  const size = (batch: number, m: number, n: number, k: number) => ({ batch, m, n, k });
  return {
    tests: [
      size(1, random.choice([17, 33]), random.choice([2, 3]), 1),
      size(random.choice([17, 31]), 1, 3, random.choice([3, 5])),
      size(3, random.choice([31, 33]), 1, random.choice([65, 127])),
      size(4, 32, random.choice([32, 64]), 64),
      size(random.choice([2, 5]), random.choice([63, 65]), random.choice([33, 47]), random.choice([100, 129])),
    ],
    cpu: [
      size(8, 64, 64, random.choice([64, 96])),
      size(random.choice([12, 16]), 96, random.choice([96, 128]), 64),
      size(random.choice([24, 32]), 128, 128, random.choice([64, 80])),
    ],
    gpu: [
      size(random.choice([32, 64]), 512, 512, random.choice([64, 128])),
      size(random.choice([16, 32]), 1024, 1024, random.choice([128, 256])),
      size(8, 2048, 2048, random.choice([512, 1024])),
    ],
  };
}
