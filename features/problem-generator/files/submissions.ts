/** The template of a generated problem, and its examples that must pass and that must fail. */
import type { Program, Step } from "../program.ts";
import { axisOf, dataNames, functionalImport, programCall, programFunction } from "./python.ts";

/** Returns the files by path. */
export function submissionFiles(name: string, program: Program): Record<string, string> {
  const skipped = program.steps.findLast((step) => step.skipped !== null);
  return {
    "template.py": file(program, {
      docstring: `${name}: computes the formula as it is written. The inputs change with every call, so nothing can be kept.`,
      body: [...store(program, programCall(program)), returned(program)],
    }),
    "solutions/fast_blocks.py": blocks(program),
    "solutions/wrong_tail.py": tail(program),
    "solutions/wrong_replay.py": replay(program),
    ...(skipped !== undefined && { [`solutions/wrong_without_${skipped.word}.py`]: without(program, skipped) }),
  };
}

interface Submission {
  /** First line of an example: how its run must end. */
  expected?: "passed" | "wrong_result";
  docstring: string;
  /** Module-level lines before the functions. */
  constants?: readonly string[];
  skipped?: Step;
  body: readonly string[];
}

function file(program: Program, { expected, docstring, constants = [], skipped, body }: Submission): string {
  return `${[
    ...(expected === undefined ? [] : [`# expect: ${expected}`]),
    `"""${docstring}"""`,
    "",
    "import torch",
    ...functionalImport(program),
    "from task import input_t, output_t",
    ...(constants.length > 0 ? ["", ...constants] : []),
    "",
    "",
    programFunction(program, skipped),
    "",
    "",
    "def custom_kernel(data: input_t) -> output_t:",
    `    ${dataNames(program).join(", ")} = data`,
    ...body.map((line) => `    ${line}`),
  ].join("\n")}\n`;
}

/** Lines that write the results of a call to the buffers. */
function store({ outputs }: Program, call: string): string[] {
  if (outputs.length === 1) return [`${outputs[0]?.name}.copy_(${call})`];
  return [`for buffer, result in zip(${buffers(outputs)}, ${call}):`, "    buffer.copy_(result)"];
}

function buffers(outputs: Program["outputs"]): string {
  return `(${outputs.map(({ name }) => name).join(", ")})`;
}

function returned({ outputs }: Program): string {
  return `return ${outputs.map(({ name }) => name).join(", ")}`;
}

/** Computes parts of the output that fit into the caches of a processor, one after another. */
function blocks(program: Program): string {
  const { inputs, outputs, split } = program;
  const divided = [...inputs, ...outputs].flatMap((value) => {
    const axis = axisOf(value, split);
    return axis === null ? [] : [{ name: value.name, axis }];
  });
  const [first] = divided;
  if (first === undefined || outputs.some((value) => axisOf(value, split) === null)) {
    return file(program, {
      expected: "passed",
      docstring: "Computes the formula as it is written.",
      body: [...store(program, programCall(program)), returned(program)],
    });
  }
  const parts = new Map(divided.map(({ name, axis }) => [name, `${name}.narrow(${axis}, start, count)`]));
  const part = (text: string): string => text.replace(/\b\w+\b/g, (word) => parts.get(word) ?? word);
  const call = programCall(program).replace(/\((.*)\)$/, (_, args: string) => `(${part(args)})`);
  const narrowed = outputs.map(({ name }) => parts.get(name) as string);
  const writing =
    outputs.length === 1
      ? [`${narrowed[0]}.copy_(${call})`]
      : [`for buffer, result in zip((${narrowed.join(", ")}), ${call}):`, "    buffer.copy_(result)"];
  return file(program, {
    expected: "passed",
    docstring: `Computes blocks of ${split} whose intermediate results stay in the caches.`,
    constants: ["#: Elements of a block.", "BLOCK = 131072"],
    body: [
      `size = ${first.name}.shape[${first.axis}]`,
      `step = max(1, BLOCK * size // ${first.name}.numel())`,
      "for start in range(0, size, step):",
      "    count = min(step, size - start)",
      ...writing.map((line) => `    ${line}`),
      returned(program),
    ],
  });
}

/** Writes all but the last elements of the first dimension. */
function tail(program: Program): string {
  const { outputs } = program;
  const [first] = outputs;
  return file(program, {
    expected: "wrong_result",
    docstring: "Leaves the tail of the first dimension as it is, so that only whole blocks of 16 are written.",
    body: [
      ...(outputs.length === 1 ? [`result = ${programCall(program)}`] : [`result, *_ = ${programCall(program)}`]),
      "whole = result.shape[0] // 16 * 16",
      `${first?.name}[:whole].copy_(result[:whole])`,
      returned(program),
    ],
  });
}

/** Returns the result of an earlier call with the same sizes. */
function replay(program: Program): string {
  return file(program, {
    expected: "wrong_result",
    docstring: "Keeps the result of the first call of each size, and returns it again though the inputs have changed.",
    constants: ["kept = {}"],
    body: [
      `sizes = ${sizes(program)}`,
      "if sizes not in kept:",
      `    kept[sizes] = ${programCall(program)}`,
      ...store(program, "kept[sizes]"),
      returned(program),
    ],
  });
}

function sizes(program: Program): string {
  const shapes = program.inputs.map(({ name }) => `${name}.shape`);
  return `(${[...shapes, ...program.parameters].join(", ")},)`;
}

/** Leaves an operation out. */
function without(program: Program, skipped: Step): string {
  return file(program, {
    expected: "wrong_result",
    docstring: `Leaves out the operation ${skipped.word}.`,
    skipped,
    body: [...store(program, programCall(program)), returned(program)],
  });
}
