import { Builder } from "../builder.ts";
import { drawBinary } from "../elementwise.ts";
import { element, type Program, type Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices, largest } from "../sizes.ts";
import { drawUnary } from "../unary.ts";

const KINDS = ["cumsum", "revcumsum", "cummax", "logcumsumexp"] as const;

/** Prefix sums, maxima and log-sum-exps along the rows or the columns of a matrix. */
export function scan(random: Random): Program {
  const builder = new Builder("float32", 0.4);
  const kind = random.choice(KINDS);
  const dimension = random.choice([0, 1, 1] as const);
  const length = ["rows", "columns"][dimension] as string;
  const many = dimension === 1 ? "rows" : "columns";
  const isSum = kind === "cumsum" || kind === "revcumsum";
  const scaled = { deviation: `${length}**-0.5`, words: `1 / sqrt(${length})` };
  const x = builder.input("x", ["rows", "columns"], ["i", "j"], isSum ? scaled : "normal");
  const before = isSum || random.chance(50) ? x : drawBinary(random, builder, x);
  const scanned = addScan(builder, before, kind, dimension);
  const after = random.integer(isSum ? 1 : 0, 2);
  let y = after > 0 ? drawBinary(random, builder, scanned) : scanned;
  if (after > 1 && !y.wide) y = drawUnary(random, builder, y);
  const cases = drawMatrices(random, [many, length], builder);
  const terms = kind === "cummax" ? 1 : largest(cases, (sizes) => sizes[length] as number);
  return builder.finish({ y }, { cases, terms, split: many });
}

function addScan(builder: Builder, value: Value, kind: (typeof KINDS)[number], dimension: 0 | 1): Value {
  const { name, index } = value;
  const end = index[dimension] as string;
  const one = element({ name, index: index.with(dimension, "l") });
  const { code, definition, ns } = {
    cumsum: { code: `torch.cumsum(${name}, ${dimension})`, definition: `sum over l <= ${end} of ${one}`, ns: 2 },
    revcumsum: {
      code: `${name}.flip(${dimension}).cumsum(${dimension}).flip(${dimension})`,
      definition: `sum over l >= ${end} of ${one}`,
      ns: 5,
    },
    cummax: { code: `torch.cummax(${name}, ${dimension}).values`, definition: `max over l <= ${end} of ${one}`, ns: 6 },
    logcumsumexp: {
      code: `torch.logcumsumexp(${name}, ${dimension})`,
      definition: `log(sum over l <= ${end} of exp(${one}))`,
      ns: 40,
    },
  }[kind];
  const word = dimension === 0 ? `${kind}0` : kind;
  const wide = kind === "logcumsumexp" || kind === "cummax" || value.wide;
  return builder.step(word, { code, definition, like: value, ns, wide, positive: false, bounded: false });
}
