/** Folders of generated kernels on disk. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  decodeSource,
  isRunFile,
  KernelBotError,
  MAX_ENTRY_BYTES,
  type KernelBenchEntryFault,
  type RunFile,
} from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/**
 * Lists the files of runs in the folders and their subfolders; the contents of only `*_kernel.py` files are read.
 * @throws UsageError when a folder cannot be read, or the files exceed the size limit of a submission.
 */
export async function readRuns(
  folders: readonly string[],
): Promise<{ files: RunFile[]; faults: KernelBenchEntryFault[] }> {
  const files: RunFile[] = [];
  const faults: KernelBenchEntryFault[] = [];
  let sizeBytes = 0;
  for (const path of (await Promise.all(folders.map(runFiles))).flat()) {
    const bytes = path.endsWith("_kernel.py") ? await readFile(path) : Buffer.alloc(0);
    sizeBytes += bytes.length;
    if (sizeBytes > 2 * MAX_ENTRY_BYTES) {
      throw new UsageError(`the kernels are larger than ${MAX_ENTRY_BYTES / 1e6} MB, the maximum for a submission`);
    }
    try {
      // The check of the entry reports kernels that are too large.
      files.push({ path, text: decodeSource(bytes, Infinity) });
    } catch (error) {
      if (!(error instanceof KernelBotError)) throw error;
      files.push({ path, text: bytes.toString() });
      faults.push({ key: null, severity: "warning", what: `${JSON.stringify(path)}: ${error.message}` });
    }
  }
  return { files, faults };
}

/** Lists a folder's files of runs recursively, sorted by path; links to folders are not followed. */
async function runFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && isRunFile(entry.name))
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
