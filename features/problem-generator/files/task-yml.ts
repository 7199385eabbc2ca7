/** `task.yml` of a generated problem. */
import { floatTypeOf, type Case, type Input, type Program } from "../program.ts";
import type { Random } from "../random.ts";
import { toleranceOf } from "../tolerance.ts";
import { dataNames, listed, shapeText } from "./python.ts";

interface TaskSettings {
  /** Comment that says where the problem comes from. */
  origin: string;
  targets: readonly string[];
  /** Draws the seeds of the cases. */
  random: Random;
}

export function taskYml(program: Program, { origin, targets, random }: TaskSettings): string {
  const { tests, cpu, gpu } = program.cases;
  const line = (sizes: Case): string => {
    const parts = Object.entries(sizes).map(([name, size]) => `${name}: ${size}`);
    return `- { ${[...parts, `seed: ${random.integer(1, 99_999)}`].join(", ")} }`;
  };
  const list = (cases: readonly Case[], indent: string): string[] => cases.map((sizes) => indent + line(sizes));
  const hasAccelerator = targets.some((target) => !isProcessor(target));
  const { rtol, atol, reason } = toleranceOf(program);
  // A kernel that returns an earlier result fails at the second of two cases that differ only in the seed.
  const twice = tests.toSpliced(-1, 0, tests.at(-2) as Case);
  return `${[
    `# ${origin}`,
    "description: |",
    ...description(program).map((text) => (text === "" ? "" : `  ${text}`)),
    "",
    "templates:",
    "  Python: template.py",
    "",
    "tests:",
    ...list(twice, "  "),
    "",
    "benchmarks:",
    ...list(hasAccelerator ? gpu : cpu, "  "),
    "",
    "targets:",
    ...targets.flatMap((target) =>
      isProcessor(target) && hasAccelerator
        ? [`  ${target}:`, "    benchmarks:", ...list(cpu, "      ")]
        : [`  ${target}:`],
    ),
    "",
    ...(program.outputs.length > 1 ? [`outputs: ${program.outputs.length}`] : []),
    "tolerance:",
    `  rtol: ${rtol}`,
    `  atol: ${atol}`,
    `  reason: ${JSON.stringify(reason)}`,
    "",
    "ranking_by: geom",
    "test_timeout: 60",
  ].join("\n")}\n`;
}

/** Whether a target is a processor: `cpu`, `cpu-...`. */
function isProcessor(target: string): boolean {
  return /^cpu(-|$)/.test(target);
}

function description(program: Program): string[] {
  const { inputs, parameters, outputs, steps } = program;
  const names = outputs.map(({ name }) => `\`${name}\``);
  const count = steps.length === 1 ? "1 operation" : `${steps.length} operations`;
  const buffer = outputs.length > 1 ? "an output buffer" : "the output buffer";
  const functions = steps.some(({ formula }) => /\b(log|exp)\b/.test(formula))
    ? " `log` is the natural logarithm."
    : "";
  return [
    `${count} on ${floatTypeOf(program) ?? "integer"} tensors: ${steps.map(({ word }) => word).join(", ")}.`,
    "",
    `Compute, for all indices of ${listed(names)}:`,
    "",
    ...steps.map(({ formula }) => `    ${formula}`),
    "",
    `**Input** \`(${dataNames(program).join(", ")})\``,
    ...inputs.map(inputLine),
    ...parameters.map((name) => `- \`${name}\`: the parameter of the case, an integer.`),
    ...outputs.map(
      ({ name, shape, dtype }) =>
        `- \`${name}\`: ${dtype} tensor of shape \`${shapeText(shape)}\`, ${buffer}. Its contents before the call are undefined.`,
    ),
    "",
    `All tensors are contiguous, in row-major order. Indices start at 0.${functions}`,
    "",
    `**Output** Write the result to ${listed(names)} and return ${outputs.length > 1 ? "them" : "it"}.`,
    "",
    `**Check** ${check(program)}`,
  ];
}

function inputLine({ name, shape, dtype, distribution }: Input): string {
  return `- \`${name}\`: ${dtype} tensor of shape \`${shapeText(shape)}\`, ${distribution}.`;
}

function check(program: Program): string {
  const type = floatTypeOf(program);
  if (type === null) return "Every element must be equal.";
  if (type === "float32") {
    return "The accuracy of float32 arithmetic is required, for any order of summation; TF32, float16 and bfloat16 are not accurate enough.";
  }
  return `Intermediate results need the accuracy of float32; the result is rounded once, to ${type}.`;
}
