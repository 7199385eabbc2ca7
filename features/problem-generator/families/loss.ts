import { Builder } from "../builder.ts";
import { drawBinary } from "../elementwise.ts";
import type { Program, Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices, largest } from "../sizes.ts";
import { drawUnary } from "../unary.ts";

interface Loss {
  word: string;
  code: string;
  definition: string;
  /** Second operand: labels of classes, another matrix, or a matrix of probabilities. */
  target: "labels" | "matrix" | "probabilities";
  /** True if there is a result for each element, not for each row. */
  isGradient?: boolean;
  isMean?: boolean;
  ns: number;
}

const LOSSES: readonly Loss[] = [
  {
    word: "crossentropy",
    code: `F.cross_entropy(x, labels, reduction="none")`,
    definition: "log(sum over j of exp(x[i, j])) - x[i, labels[i]]",
    target: "labels",
    ns: 3,
  },
  {
    word: "crossentropygrad",
    code: "torch.softmax(x, 1) - F.one_hot(labels, x.shape[1]).to(x.dtype)",
    definition: "exp(x[i, j]) / (sum over l of exp(x[i, l])) - (1 if labels[i] = j else 0)",
    target: "labels",
    isGradient: true,
    ns: 5,
  },
  {
    word: "mse",
    code: `(x - t).square().mean(1)`,
    definition: "mean over j of (x[i, j] - t[i, j])^2",
    target: "matrix",
    isMean: true,
    ns: 0.8,
  },
  {
    word: "huber",
    code: `F.smooth_l1_loss(x, t, reduction="none").mean(1)`,
    definition: "mean over j of (d^2 / 2 if |d| < 1 else |d| - 1/2), where d = x[i, j] - t[i, j]",
    target: "matrix",
    isMean: true,
    ns: 0.8,
  },
  {
    word: "bce",
    code: `F.binary_cross_entropy_with_logits(x, t, reduction="none").mean(1)`,
    definition: "mean over j of max(x[i, j], 0) - x[i, j] * t[i, j] + log(1 + exp(-|x[i, j]|))",
    target: "probabilities",
    isMean: true,
    ns: 8,
  },
  {
    word: "cosine",
    code: `F.cosine_similarity(x, t, dim=1)`,
    definition: "(sum over j of x[i, j] * t[i, j]) / sqrt((sum over j of x[i, j]^2) * (sum over j of t[i, j]^2))",
    target: "matrix",
    isMean: true,
    ns: 3,
  },
  {
    word: "kl",
    code: `(torch.softmax(t, 1) * (F.log_softmax(t, 1) - F.log_softmax(x, 1))).sum(1)`,
    definition: "sum over j of q[i, j] * log(q[i, j] / p[i, j]), where p and q are the softmax of the rows of x and t",
    target: "matrix",
    ns: 9,
  },
];

/** Losses of each row, and a gradient, with a weight or another function of the loss. */
export function loss(random: Random): Program {
  const builder = new Builder("float32", 0.35);
  const kind = random.choice(LOSSES);
  const x = builder.input("x", ["rows", "columns"], ["i", "j"]);
  if (kind.target === "labels") {
    builder.input("labels", ["rows"], ["i"], { low: 0, high: "columns" }, { dtype: "int64" });
  } else {
    builder.input("t", ["rows", "columns"], ["i", "j"], kind.target === "matrix" ? "normal" : "probability");
  }
  const traits: Partial<Value> = kind.isGradient === true ? {} : { shape: ["rows"], index: ["i"], wide: true };
  const { word, code, definition, ns } = kind;
  let y = builder.step(word, { code, definition, like: x, ns, ...traits });
  for (let count = random.integer(0, 2); count > 0; count -= 1) {
    y = random.chance(70) ? drawBinary(random, builder, y) : drawUnary(random, builder, y);
  }
  const least = kind.target === "labels" || word === "kl" || word === "cosine" ? 3 : 1;
  const cases = drawMatrices(random, ["rows", "columns"], builder, least);
  const terms = largest(cases, ({ columns }) => columns as number);
  return builder.finish({ y }, { cases, terms, magnitude: kind.isMean === true ? 0.1 : 1, split: "rows" });
}
