import { Builder } from "../builder.ts";
import { drawBinary, drawChain } from "../elementwise.ts";
import { element, type Program, type Value } from "../program.ts";
import type { Random } from "../random.ts";
import { drawMatrices, largest } from "../sizes.ts";
import { drawFloatType } from "./dtype.ts";

const KINDS = ["layernorm", "rmsnorm", "softmax", "logsoftmax", "normalize"] as const;

/** Normalisations of the rows of a matrix, with a residual before or activations after. */
export function normalisation(random: Random): Program {
  const kind = random.choice(KINDS);
  const builder = new Builder(drawFloatType(random));
  const x = builder.input("x", ["rows", "columns"], ["i", "j"]);
  const before = random.chance(50) ? drawBinary(random, builder, x) : x;
  const normalised = normalise(builder, before, kind);
  const isSmall = kind === "softmax" || kind === "normalize";
  const y = isSmall ? normalised : drawChain(random, builder, normalised, random.integer(0, 2));
  const cases = drawMatrices(random, ["rows", "columns"], builder, 4);
  const terms = largest(cases, ({ columns }) => columns as number);
  // The elements of a softmax add up to 1, and so do the squares of the elements of a normalised row.
  const magnitude = kind === "softmax" ? 1 / terms : kind === "normalize" ? terms ** -0.5 : 1;
  return builder.finish({ y }, { cases, terms, magnitude, split: "rows" });
}

/** Adds the normalisation of each row. */
function normalise(builder: Builder, value: Value, kind: (typeof KINDS)[number]): Value {
  const { name } = value;
  const [one, other] = [element(value), `${name}[i, l]`];
  const traits = { like: value, ns: 3, positive: false, bounded: false, wide: false };
  const vector = (names: readonly string[], distribution: "normal" | "around one"): Value =>
    builder.input(names, ["columns"], ["j"], distribution);
  const meanSquare = `mean over l of ${other}^2`;
  switch (kind) {
    case "layernorm": {
      const [w, b] = [vector(["w", "w2"], "around one"), vector(["b", "b2"], "normal")];
      const [mean, variance] = [`mean over l of ${other}`, `variance over l of ${other}`];
      const definition = `w[j] * (${one} - (${mean})) / sqrt(${variance} + 1e-5) + b[j]`;
      const code = `F.layer_norm(${name}, ${name}.shape[1:], ${w.name}, ${b.name})`;
      return builder.step(kind, { ...traits, code, definition: named(definition, { w, b }) });
    }
    case "rmsnorm": {
      const w = vector(["w", "w2"], "around one");
      const code = `${name} * torch.rsqrt(${name}.square().mean(1, keepdim=True) + 1e-6) * ${w.name}`;
      const definition = named(`w[j] * ${one} / sqrt(${meanSquare} + 1e-6)`, { w });
      return builder.step(kind, { ...traits, code, definition });
    }
    case "softmax": {
      const definition = `exp(${one}) / (sum over l of exp(${other}))`;
      return builder.step(kind, { ...traits, code: `torch.softmax(${name}, 1)`, definition, positive: true });
    }
    case "logsoftmax": {
      const definition = `${one} - log(sum over l of exp(${other}))`;
      return builder.step(kind, { ...traits, code: `F.log_softmax(${name}, 1)`, definition, wide: true });
    }
    case "normalize": {
      const definition = `${one} / sqrt(sum over l of ${other}^2)`;
      return builder.step(kind, { ...traits, code: `F.normalize(${name}, dim=1)`, definition });
    }
  }
}

/** Replaces the names of the inputs in a definition by those that were free. */
function named(definition: string, inputs: Readonly<Record<string, Value>>): string {
  return Object.entries(inputs).reduce(
    (text, [name, value]) => text.replaceAll(`${name}[j]`, `${value.name}[j]`),
    definition,
  );
}
