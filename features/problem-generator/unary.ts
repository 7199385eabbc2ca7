/** Operations on each element with one operand: activations and other functions. */
import type { Builder } from "./builder.ts";
import { element, type Value } from "./program.ts";
import type { Random } from "./random.ts";

type Trait =
  /** Results are not negative. */
  | "positive"
  /** Results are from -1 to 1. */
  | "bounded"
  /** Results may be far from the range from -3 to 3. */
  | "wide"
  /** Results for operands of either sign are equal. */
  | "even"
  /** A range of operands has one result, or nearly one. */
  | "flat"
  /** Results for large operands of one sign are nearly equal. */
  | "saturating"
  /** Results for operands that are not negative are the operands. */
  | "identity if positive"
  /** Results have the signs of the operands. */
  | "keeps signs"
  /** Results grow faster than operands. */
  | "product";

interface Unary {
  word: string;
  /** Python expression of an operand V. */
  code: string;
  /** Definition for an operand V. */
  formula: string;
  /** How much a small change of the operand changes the result, at most. */
  gain: number;
  /** Time on a processor, in nanoseconds for each element. */
  ns: number;
  is: readonly Trait[];
}

const SIGMOID = "1 / (1 + exp(-V))";
const IF_POSITIVE = "identity if positive";

const UNARY: readonly Unary[] = [
  row("relu", "torch.relu(V)", "max(V, 0)", 0.7, 0.4, "positive", "flat", "saturating", IF_POSITIVE),
  row("leakyrelu", "F.leaky_relu(V, 0.1)", "max(V, 0.1 * V)", 0.7, 0.4, IF_POSITIVE),
  row("gelu", "F.gelu(V)", "V * (1 + erf(V / sqrt(2))) / 2", 0.7, 2, "saturating"),
  row("silu", "F.silu(V)", "V / (1 + exp(-V))", 0.6, 1.5, "saturating"),
  row("sigmoid", "torch.sigmoid(V)", SIGMOID, 0.21, 1.5, "positive", "bounded", "saturating"),
  row("tanh", "torch.tanh(V)", "tanh(V)", 0.6, 2, "bounded", "saturating", "keeps signs"),
  row("softplus", "F.softplus(V)", "log(1 + exp(V))", 0.5, 4, "positive", "saturating"),
  row("elu", "F.elu(V)", "(V if V > 0 else exp(V) - 1)", 0.8, 2, "saturating", IF_POSITIVE),
  row("mish", "F.mish(V)", "V * tanh(log(1 + exp(V)))", 0.7, 6, "saturating"),
  row("hardswish", "F.hardswish(V)", "V * min(max(V + 3, 0), 6) / 6", 0.6, 0.7, "flat", "saturating"),
  row("sin", "torch.sin(V)", "sin(V)", 0.7, 2, "bounded"),
  row("cos", "torch.cos(V)", "cos(V)", 0.6, 2, "bounded", "even", "flat"),
  row("erf", "torch.erf(V)", "erf(V)", 0.6, 2, "bounded", "saturating", "keeps signs"),
  row("square", "V * V", "V^2", 1, 0.4, "positive", "wide", "even", "product"),
  row("abs", "torch.abs(V)", "|V|", 1, 0.4, "positive", "even", IF_POSITIVE),
  row("clamp", "torch.clamp(V, -1.0, 1.0)", "min(max(V, -1), 1)", 0.6, 0.4, "bounded", "flat", "saturating"),
  row("hypot", "torch.sqrt(1.0 + V * V)", "sqrt(1 + V^2)", 0.4, 1.2, "positive", "even", "flat"),
  row("gaussian", "torch.exp(-V * V)", "exp(-V^2)", 0.5, 2, "positive", "bounded", "even", "flat", "saturating"),
  row("log1p", "torch.log1p(torch.abs(V))", "log(1 + |V|)", 0.5, 2.5, "positive", "even"),
  row("softsign", "V / (1.0 + torch.abs(V))", "V / (1 + |V|)", 0.4, 1, "bounded", "saturating", "keeps signs"),
  row("halve", "V * 0.5", "V / 2", 0.5, 0.4, "keeps signs"),
  row("shift", "V - 0.75", "V - 0.75", 1, 0.4),
];

function row(word: string, code: string, formula: string, gain: number, ns: number, ...is: readonly Trait[]): Unary {
  return { word, code, formula, gain, ns, is };
}

/** Adds an activation or another function of one operand that changes it. */
export function drawUnary(random: Random, builder: Builder, value: Value): Value {
  const fitting = UNARY.filter(
    ({ word, gain, is }) =>
      word !== value.word &&
      !(value.positive && is.includes(IF_POSITIVE)) &&
      !(value.bounded && word === "clamp") &&
      !(value.wide && is.includes("saturating")) &&
      !(value.word === "abs" && is.includes("even")) &&
      !(builder.products >= 2 && is.includes("product")) &&
      value.gain * gain >= builder.leastGain,
  );
  // A shift fits always.
  const { word, code, formula, gain, ns, is } = random.choice(fitting.length > 0 ? fitting : UNARY.slice(-1));
  if (is.includes("flat")) builder.flat = true;
  if (is.includes("product")) builder.products += 1;
  const keepsSigns = is.includes("keeps signs") || is.includes(IF_POSITIVE);
  return builder.step(word, {
    code: code.replaceAll("V", value.name),
    definition: formula.replaceAll("V", element(value)),
    like: value,
    ns,
    positive: is.includes("positive") || (value.positive && keepsSigns),
    bounded: is.includes("bounded") || (value.bounded && (word === "halve" || word === "leakyrelu")),
    wide: is.includes("wide") || (value.wide && !is.includes("bounded")),
    gain: value.gain * gain,
  });
}
