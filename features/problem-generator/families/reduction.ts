import { Builder } from "../builder.ts";
import { drawBinary, drawChain } from "../elementwise.ts";
import { element, type Program, type Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices, largest } from "../sizes.ts";
import { drawUnary } from "../unary.ts";
import { drawFloatType } from "./dtype.ts";

const KINDS = ["sum", "mean", "max", "logsumexp", "rms"] as const;

/** Reductions of the rows or the columns of a matrix, after and before operations on each element. */
export function reduction(random: Random): Program {
  const kind = random.choice(KINDS);
  // Means and log-sum-exps of long rows are nearly equal, so a lower precision could not tell them from a constant.
  const dtype = kind === "sum" || kind === "max" ? drawFloatType(random) : "float32";
  const builder = new Builder(dtype, 0.35);
  const isOverRows = random.chance(50);
  const x = builder.input("x", ["rows", "columns"], ["i", "j"]);
  const before = kind === "sum" ? drawBinary(random, builder, x) : drawChain(random, builder, x, random.integer(0, 2));
  const reduced = reduce(builder, before, kind, isOverRows ? 1 : 0);
  const after = random.integer(0, 2);
  let y = after > 0 ? drawBinary(random, builder, reduced) : reduced;
  if (after > 1 && !y.wide) y = drawUnary(random, builder, y);
  const [many, length] = isOverRows ? (["rows", "columns"] as const) : (["columns", "rows"] as const);
  const cases = drawMatrices(random, [many, length], builder);
  const terms = kind === "max" ? 1 : largest(cases, (sizes) => sizes[length] as number);
  return builder.finish({ y }, { cases, terms, magnitude: kind === "mean" ? 0.1 : 1, split: many });
}

function reduce(builder: Builder, value: Value, kind: (typeof KINDS)[number], dimension: 0 | 1): Value {
  const { name, shape, index } = value;
  const [over, size] = [index[dimension] as string, shape[dimension] as string];
  const [kept, keptIndex] = [shape.toSpliced(dimension, 1), index.toSpliced(dimension, 1)];
  const one = element(value);
  const { code, definition } = {
    sum: {
      code: `${name}.sum(${dimension}) * ${name}.shape[${dimension}] ** -0.5`,
      definition: `(sum over ${over} of ${one}) / sqrt(${size})`,
    },
    mean: { code: `${name}.mean(${dimension})`, definition: `mean over ${over} of ${one}` },
    max: { code: `${name}.amax(${dimension})`, definition: `max over ${over} of ${one}` },
    logsumexp: { code: `torch.logsumexp(${name}, ${dimension})`, definition: `log(sum over ${over} of exp(${one}))` },
    rms: { code: `torch.sqrt(${name}.square().mean(${dimension}))`, definition: `sqrt(mean over ${over} of ${one}^2)` },
  }[kind];
  const word = `${["col", "row"][dimension]}${kind}`;
  const wide = kind === "max" || kind === "logsumexp" || value.wide;
  const ns = { sum: 0.3, mean: 0.3, max: 0.15, logsumexp: 2.5, rms: 0.8 }[kind];
  const traits = { shape: kept, index: keptIndex, wide, positive: false, bounded: false };
  return builder.step(word, { code, definition, like: value, ns, ...traits });
}
