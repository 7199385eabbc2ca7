/** Folders of generated kernels on disk. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MAX_ENTRY_BYTES, MAX_KERNEL_BYTES, type KernelBenchEntryFault, type RunFile } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/**
 * Lists the Python files in the folders and their subfolders; the contents of only `*_kernel.py` files are read.
 * @throws UsageError when a folder cannot be read, or the files exceed the size limit of a submission.
 */
export async function readRuns(
  folders: readonly string[],
): Promise<{ files: RunFile[]; faults: KernelBenchEntryFault[] }> {
  const files: RunFile[] = [];
  const faults: KernelBenchEntryFault[] = [];
  let sizeBytes = 0;
  for (const path of (await Promise.all(folders.map(pythonFiles))).flat()) {
    const bytes = path.endsWith("_kernel.py") ? await readFile(path) : Buffer.alloc(0);
    sizeBytes += bytes.length;
    if (sizeBytes > 2 * MAX_ENTRY_BYTES) {
      throw new UsageError(`the kernels are larger than ${MAX_ENTRY_BYTES / 1e6} MB, the maximum for a submission`);
    }
    const what = bytes.length > MAX_KERNEL_BYTES ? `is larger than ${MAX_KERNEL_BYTES / 1e3} kB` : null;
    const text = what === null ? decoded(bytes) : "";
    const fault = what ?? (text === null ? "is not UTF-8 text" : null);
    if (fault !== null) faults.push({ key: null, severity: "error", what: `${JSON.stringify(path)} ${fault}` });
    else files.push({ path, text: text ?? "" });
  }
  return { files, faults };
}

/** Lists a folder's Python files recursively, sorted by path; links to folders are not followed. */
async function pythonFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".py"))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT"
        ? "does not exist"
        : code === "ENOTDIR"
          ? `is a file; name its folder: ${dirname(folder)}`
          : `cannot be read: ${message}`;
    throw new UsageError(`${JSON.stringify(folder)} ${why}`, { cause: error });
  }
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
