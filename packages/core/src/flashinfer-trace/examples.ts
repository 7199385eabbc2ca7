/** What participants read of an imported definition, and examples that must pass and that must fail. */
import type { TraceDefinition } from "./definition.ts";

/** Returns the files by path. */
export function exampleFiles(definition: TraceDefinition): Record<string, string> {
  return {
    "task.py": taskModule(definition),
    "template.py": template(definition),
    "solutions/fast_reference.py": example(definition, "passed", []),
    "solutions/wrong_zeros.py": example(definition, "wrong_result", ZEROS),
    "solutions/wrong_replay.py": example(definition, "wrong_result", REPLAY),
  };
}

function taskModule({ name, inputs, outputs }: TraceDefinition): string {
  const list = (names: readonly string[]) => `(${names.map((each) => `${JSON.stringify(each)},`).join(" ")})`;
  const dtypes = Object.entries({ ...inputs, ...outputs }).map(
    ([key, { dtype }]) => `    ${JSON.stringify(key)}: "${dtype}",`,
  );
  return [
    `"""What a kernel of ${JSON.stringify(name).slice(1, -1).replaceAll('"', "'")} gets: the inputs, then the output buffers."""`,
    "",
    "from typing import Any, Tuple",
    "",
    `INPUTS = ${list(Object.keys(inputs))}`,
    `OUTPUTS = ${list(Object.keys(outputs))}`,
    "DTYPES = {",
    ...dtypes,
    "}",
    "",
    "input_t = Tuple[Any, ...]",
    "output_t = Any",
    "",
  ].join("\n");
}

function template({ inputs, outputs, reference }: TraceDefinition): string {
  const parameters = Object.keys(inputs);
  return [
    `# Starter: the reference. Define run(${parameters.join(", ")}), which returns the outputs,`,
    `# or run(${[...parameters, ...Object.keys(outputs)].join(", ")}), which writes them.`,
    ended(reference),
  ].join("\n");
}

/** Returns the reference with a `run` of its own after it. */
function example({ reference }: TraceDefinition, outcome: string, lines: readonly string[]): string {
  return [`# expect: ${outcome}`, ended(reference), ...lines].join("\n");
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

const ZEROS = [
  "",
  "import torch",
  "",
  "reference_run = run",
  "",
  "",
  "def run(*arguments):",
  '    """Returns zeros."""',
  "    results = reference_run(*arguments)",
  "    results = results if isinstance(results, (tuple, list)) else [results]",
  "    return tuple(torch.zeros_like(torch.as_tensor(one)) for one in results)",
  "",
];

const REPLAY = [
  "",
  "reference_run = run",
  "kept = {}",
  "",
  "",
  "def run(*arguments):",
  '    """Returns the result of the first call with the same sizes again."""',
  '    sizes = str([getattr(one, "shape", one) for one in arguments])',
  "    if sizes not in kept:",
  "        kept[sizes] = reference_run(*arguments)",
  "    return kept[sizes]",
  "",
];
