/** Prompts for a model: a template with placeholders, filled for each problem. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sheetsOf, type Backend, type DataSheet, type Precision } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { exampleText, type Example } from "./examples.ts";
import { listed } from "../output/text.ts";

/** Default template. */
const TEMPLATE = join(import.meta.dirname, "prompt.md");

const PLACEHOLDERS = ["problem", "backend", "precision", "hardware", "examples"] as const;
/** Placeholders with a paragraph of their own, which is omitted when the value is empty. */
const OPTIONAL = ["hardware", "examples"] as const;

/** Text for `{{backend}}`. */
const BACKEND_WORDS: Record<Backend, string> = {
  pytorch: "Use only PyTorch: its operators and torch.compile.",
  cuda: "Write the kernels in CUDA C++ and build them with `torch.utils.cpp_extension.load_inline`.",
  hip: "Write the kernels in HIP C++ for AMD GPUs and build them with `torch.utils.cpp_extension.load_inline`.",
  triton: "Write the kernels in Triton, as functions with `@triton.jit`.",
  cute: "Write the kernels with CuTe of CUTLASS, through its Python DSL (`import cutlass.cute as cute`).",
  tilelang: "Write the kernels in TileLang (`import tilelang`).",
  thunderkittens: "Write the kernels in CUDA C++ with ThunderKittens and build them with `torch.utils.cpp_extension`.",
};

/**
 * Reads a template; the default one when no file is named.
 * @throws UsageError when it cannot be read, lacks the placeholder for the problem, or has unknown placeholders.
 */
export async function readTemplate(path: string = TEMPLATE): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${JSON.stringify(path)} cannot be read: ${(error as Error).message}`, { cause: error });
  });
  const names = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
  const known = listed(PLACEHOLDERS.map((name) => `{{${name}}}`));
  if (unknown !== undefined)
    throw new UsageError(`${JSON.stringify(path)} has the unknown placeholder {{${unknown}}}; use ${known}`);
  if (names.includes("problem")) return text;
  throw new UsageError(`${JSON.stringify(path)} has no {{problem}}, the placeholder for the source of the problem`);
}

/** Parts of a prompt apart from the problem. */
interface PromptParts {
  template: string;
  /** The system prompt; null for none. */
  system: string | null;
  backend: Backend;
  precision: Precision;
  /** Target whose data sheet the prompt describes; null for none. */
  hardware: string | null;
  examples: readonly Example[];
}

/**
 * Returns a function from a problem's source to its prompt.
 * @throws UsageError when the template lacks a placeholder that is needed, or the hardware has no data sheet.
 */
export function promptMaker(parts: PromptParts): (source: string) => string {
  const { template, backend, precision, hardware, examples } = parts;
  const values: Record<(typeof PLACEHOLDERS)[number], string> = {
    problem: "",
    backend: BACKEND_WORDS[backend],
    precision,
    hardware: hardware === null ? "" : hardwareText(hardware),
    examples: examples.map(exampleText).join("\n\n"),
  };
  for (const name of OPTIONAL) {
    if (values[name] === "" || template.includes(`{{${name}}}`)) continue;
    throw new UsageError(`--${name} requires the placeholder {{${name}}} in the template`);
  }
  const filled = OPTIONAL.filter((name) => values[name] === "").reduce(
    (text, name) => text.replaceAll(`{{${name}}}\n\n`, "").replaceAll(`{{${name}}}`, ""),
    template,
  );
  return (source) =>
    filled.replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
      name === "problem" ? source.trim() : values[name as keyof typeof values],
    );
}

/** Returns the SHA-256, in hexadecimal, of the part that the prompts of all problems share. */
export function promptHash({ system, ...parts }: PromptParts): string {
  const shared = JSON.stringify([promptMaker({ ...parts, system })("{{problem}}"), system]);
  return createHash("sha256").update(shared).digest("hex");
}

/** Describes the devices of a target from the vendors' data sheets. */
function hardwareText(target: string): string {
  const sheets = sheetsOf(target);
  if (sheets.length > 0) return `The kernels run on ${sheets.map(sheetText).join(", or on ")}.`;
  throw new UsageError(
    `no data sheet for ${JSON.stringify(target)}; use a name such as H100, or describe the device in your own template`,
  );
}

function sheetText({ name, variant, capacity, memory, arithmetic, cache }: DataSheet): string {
  return (
    `${name} (${variant}): ${capacity.value} ${capacity.unit} of memory with ${memory.value} ${memory.unit}, ` +
    `at most ${arithmetic.value} ${arithmetic.unit} (${arithmetic.precision}, dense), ${cache.value} ${cache.unit} of cache`
  );
}
