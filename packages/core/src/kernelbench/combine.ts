/**
 * Converts generated kernels between run folders, one per level, and a submission file.
 *
 *     combineRuns([{ path: "runs/a_level1/level_1_problem_19_sample_0_kernel.py", text }], { display_name: "Model A" })
 */
import { z } from "zod";
import { KernelBotError, quote } from "../errors.ts";
import { portableFileName } from "../submission/file-name.ts";
import { KernelBenchEntryMetadata, type KernelBenchEntryFault, type KernelBenchEntryFile } from "./entry.ts";
import { errorFault, warningFault } from "./fault.ts";
import { byKernelKey, kernelKeyText, parseKernelKey, type KernelKey } from "./key.ts";

/** File of a generated kernel, with a path relative to the parent of the run folders. */
export interface RunFile {
  path: string;
  text: string;
}

const ENDING = "_kernel.py";
/** Ending of an answer without a kernel: an unsuccessful sample, which counts for pass@k. */
const ANSWER_ENDING = "_answer.md";

/** Whether `combineRuns` reads a file of this name. */
export function isRunFile(name: string): boolean {
  return name.endsWith(".py") || name.endsWith(ANSWER_ENDING);
}

/**
 * Combines the kernels of all folders, all samples, sorted by key. The faults are those of file names and folders;
 * `checkEntry` checks the kernels themselves. An answer without a kernel is an empty kernel; other files are ignored.
 */
export function combineRuns(
  files: readonly RunFile[],
  metadata: z.input<typeof KernelBenchEntryMetadata>,
): { file: KernelBenchEntryFile; faults: KernelBenchEntryFault[] } {
  const found = new Map<string, RunFile & { key: KernelKey }>();
  const faults: KernelBenchEntryFault[] = [];
  for (const file of files) {
    const [name = "", folder = ""] = file.path.split(/[\\/]/).reverse();
    if (!isRunFile(name)) continue;
    const ending = [ENDING, ANSWER_ENDING].find((each) => name.endsWith(each));
    const key = ending === undefined ? null : parseKernelKey(name.slice(0, -ending.length));
    if (key === null) {
      const what = `is ignored: a kernel's file name must have the form level_1_problem_19_sample_0${ENDING}`;
      faults.push(warningFault(null, `${quote(file.path)} ${what}`));
      continue;
    }
    const text = kernelKeyText(key);
    const level = /_level(\d+)$/.exec(folder)?.[1];
    if (level !== undefined && Number(level) !== key.level) {
      faults.push(
        errorFault(text, `its level is ${key.level}, but it is in the folder of another level: ${quote(file.path)}`),
      );
    }
    const other = found.get(text);
    if (other === undefined) found.set(text, { ...file, key, text: ending === ANSWER_ENDING ? "" : file.text });
    else faults.push(errorFault(text, `it is in both ${quote(other.path)} and ${quote(file.path)}: keep one of them`));
  }
  const inOrder = [...found.values()].sort((a, b) => byKernelKey(a.key, b.key));
  const kernels = Object.fromEntries(inOrder.map(({ key, text }) => [kernelKeyText(key), text]));
  return { file: { metadata: KernelBenchEntryMetadata.parse(metadata), kernels }, faults };
}

/**
 * Splits an entry into one file per kernel, in a folder per level: the inverse of `combineRuns`.
 * @throws KernelBotError `unprocessable` for an invalid key, because keys become part of paths.
 */
export function splitEntry({ metadata, kernels }: KernelBenchEntryFile): RunFile[] {
  const name = runName(metadata);
  return Object.entries(kernels).map(([text, source]) => {
    const key = parseKernelKey(text);
    if (key === null) throw new KernelBotError("unprocessable", `${quote(text)} is not a valid kernel key`);
    return { path: `${portableFileName(`${name}_level${key.level}`)}/${text}${ENDING}`, text: source };
  });
}

/** Returns the base name of an entry's folders and documents: its `run_name`, else derived from the model's name. */
export function runName({
  run_name,
  display_name,
}: Pick<KernelBenchEntryMetadata, "run_name" | "display_name">): string {
  const words = display_name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return (
    run_name ??
    (words
      .filter((word) => word !== "")
      .join("_")
      .slice(0, 100) ||
      "model")
  );
}
