/** What a model is asked: a template with placeholders, filled for each problem. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Backend, Precision } from "@kernelbot/core";
import { UsageError } from "../exit.ts";
import { listed } from "../text.ts";

/** The template that ships. */
const TEMPLATE = join(import.meta.dirname, "prompt.md");

const PLACEHOLDERS = ["problem", "backend", "precision"] as const;

/** What stands for `{{backend}}`. */
const BACKEND_WORDS: Record<Backend, string> = {
  pytorch: "Use PyTorch alone: its operators and what it can compile.",
  cuda: "Write the kernels in CUDA C++ and build them with `torch.utils.cpp_extension.load_inline`.",
  hip: "Write the kernels in HIP C++ for AMD GPUs and build them with `torch.utils.cpp_extension.load_inline`.",
  triton: "Write the kernels in Triton, as functions with `@triton.jit`.",
  cute: "Write the kernels with CuTe of CUTLASS, through its Python DSL (`import cutlass.cute as cute`).",
  tilelang: "Write the kernels in TileLang (`import tilelang`).",
  thunderkittens: "Write the kernels in CUDA C++ with ThunderKittens and build them with `torch.utils.cpp_extension`.",
};

/**
 * Reads a template; ours where no file is named.
 * @throws UsageError where it is not there, has no place for the problem, or asks for what we do not know.
 */
export async function readTemplate(path: string = TEMPLATE): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${JSON.stringify(path)} cannot be read: ${(error as Error).message}`, { cause: error });
  });
  const names = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
  const known = listed(PLACEHOLDERS.map((name) => `{{${name}}}`));
  if (unknown !== undefined) throw new UsageError(`${JSON.stringify(path)} has {{${unknown}}}; there are ${known}`);
  if (names.includes("problem")) return text;
  throw new UsageError(`${JSON.stringify(path)} has no {{problem}}, where the source of a problem is put`);
}

export function promptFor(template: string, source: string, backend: Backend, precision: Precision): string {
  const values: Record<string, string> = { problem: source.trim(), backend: BACKEND_WORDS[backend], precision };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}
