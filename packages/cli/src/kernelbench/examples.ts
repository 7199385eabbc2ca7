/** Examples of a prompt: a module and an answer to it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Backend } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { listed } from "../output/text.ts";

export interface Example {
  /** Source of the module with class Model. */
  model: string;
  /** Source of an answer, with class ModelNew. */
  kernel: string;
}

export const EXAMPLE_SETS = ["none", "one", "few"] as const;
/** No examples, the first of the bundled examples, or all of them. */
type ExampleSet = (typeof EXAMPLE_SETS)[number];

const FOLDER = join(import.meta.dirname, "examples");
/** Names of the bundled examples: `examples/add.py` is a module, `examples/add.triton.py` an answer in Triton. */
const NAMES = ["add", "scaled_silu", "row_sum"];
const BACKENDS_WITH_EXAMPLES: readonly Backend[] = ["cuda", "triton"];

/**
 * Reads the bundled examples and the user's own, each given as `MODEL.py=KERNEL.py`.
 * @throws UsageError when no examples exist for the backend, or a file cannot be read.
 */
export async function readExamples(set: ExampleSet, backend: Backend, own: readonly string[]): Promise<Example[]> {
  if (set !== "none" && !BACKENDS_WITH_EXAMPLES.includes(backend)) {
    const known = listed(BACKENDS_WITH_EXAMPLES);
    throw new UsageError(
      `there are built-in examples for ${known} only; for ${backend} use --example MODEL.py=KERNEL.py`,
    );
  }
  const names = set === "none" ? [] : set === "one" ? NAMES.slice(0, 1) : NAMES;
  const shipped = names.map((name) => [join(FOLDER, `${name}.py`), join(FOLDER, `${name}.${backend}.py`)] as const);
  return Promise.all(
    [...shipped, ...own.map(pathsOf)].map(async ([model, kernel]) => ({
      model: await source(model, "Model"),
      kernel: await source(kernel, "ModelNew"),
    })),
  );
}

export function exampleText({ model, kernel }: Example): string {
  return `An example. For this module:\n\n\`\`\`python\n${model}\n\`\`\`\n\nan answer is:\n\n\`\`\`python\n${kernel}\n\`\`\``;
}

function pathsOf(text: string): readonly [string, string] {
  const [model = "", kernel = "", more] = text.split("=");
  if (model !== "" && kernel !== "" && more === undefined) return [model, kernel];
  throw new UsageError(`--example must be MODEL.py=KERNEL.py, not ${JSON.stringify(text)}`);
}

async function source(path: string, name: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${JSON.stringify(path)} cannot be read: ${(error as Error).message}`, { cause: error });
  });
  if (new RegExp(`^class ${name}\\b`, "m").test(text)) return text.trim();
  throw new UsageError(`${JSON.stringify(path)} has no class ${name}`);
}
