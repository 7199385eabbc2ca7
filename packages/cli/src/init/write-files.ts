/**
 * Writes files whose names come from a server: inside one folder, never through a link, and over existing files only
 * with `force`.
 */
import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { listed } from "../output/text.ts";

/** Maximum number of files that an error message names. */
const SHOWN = 5;

/**
 * Writes files by their `/`-separated paths in the folder. All paths are checked before the first file is written.
 * @throws UsageError when a file exists or cannot be written, KernelBotError for an unsafe path.
 */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  force: boolean,
): Promise<void> {
  for (const path of files.keys()) checkPath(path);
  const existing: string[] = [];
  for (const path of files.keys()) if (await exists(join(folder, path))) existing.push(path);
  if (existing.length > 0 && !force) {
    const more = existing.length > SHOWN ? [`${existing.length - SHOWN} more`] : [];
    const names = listed([...existing.slice(0, SHOWN), ...more]);
    throw new UsageError(`${JSON.stringify(folder)} already has ${names}; use --force to overwrite them`);
  }
  try {
    await mkdir(folder, { recursive: true });
    const root = await realpath(folder);
    for (const [path, content] of files) {
      const target = join(root, path);
      await mkdir(dirname(target), { recursive: true });
      const parent = await realpath(dirname(target));
      if (parent !== root && !parent.startsWith(root + sep)) {
        throw new UsageError(
          `${JSON.stringify(path)} is outside the folder because of a symbolic link; remove the link`,
        );
      }
      // Existing files are removed, not opened: they may be links.
      if (force) await rm(target, { force: true });
      await writeFile(target, content, { flag: "wx" });
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot write in ${JSON.stringify(folder)}: ${(error as Error).message}`, { cause: error });
  }
}

/** Rejects paths with `..`, hidden names, control characters, backslashes or colons. */
function checkPath(path: string): void {
  const plain = path
    .split("/")
    .every((part) => /^[^.\\:/\p{C}][^\\:/\p{C}]*$/u.test(part) && Buffer.byteLength(part) <= 200);
  if (plain) return;
  throw new KernelBotError(
    "unprocessable",
    `the problem has a file with the unsafe name ${quote(path)}; nothing was written`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new UsageError(`cannot read ${JSON.stringify(path)}: ${(error as Error).message}`, { cause: error });
  }
}
