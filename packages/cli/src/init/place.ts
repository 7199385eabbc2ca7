/** Writing what a server named: inside one folder, through no link, and over nothing unless told to. */
import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { UsageError } from "../exit.ts";
import { listed } from "../text.ts";

/** Files that a sentence names. */
const SHOWN = 5;

/**
 * Writes the files, by their paths in the folder with `/` between parts; all paths are looked at before the first is written.
 * @throws UsageError where something is in the way, KernelBotError where a path is not one to write.
 */
export async function placeFiles(folder: string, files: ReadonlyMap<string, string>, force: boolean): Promise<void> {
  for (const path of files.keys()) checkPath(path);
  const there: string[] = [];
  for (const path of files.keys()) if (await exists(join(folder, path))) there.push(path);
  if (there.length > 0 && !force) {
    const more = there.length > SHOWN ? [`${there.length - SHOWN} more`] : [];
    const names = listed([...there.slice(0, SHOWN), ...more]);
    throw new UsageError(`${JSON.stringify(folder)} already has ${names}; --force writes over them`);
  }
  try {
    await mkdir(folder, { recursive: true });
    const root = await realpath(folder);
    for (const [path, text] of files) {
      const target = join(root, path);
      await mkdir(dirname(target), { recursive: true });
      const parent = await realpath(dirname(target));
      if (parent !== root && !parent.startsWith(root + sep)) {
        throw new UsageError(`${JSON.stringify(path)} leads out of the folder by a link; remove the link`);
      }
      // What is there is removed, not followed: it may be a link.
      if (force) await rm(target, { force: true });
      await writeFile(target, text, { flag: "wx" });
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot write in ${JSON.stringify(folder)}: ${(error as Error).message}`, { cause: error });
  }
}

/** Plain names alone: no way up, nothing hidden, nothing that another system reads otherwise. */
function checkPath(path: string): void {
  const plain = path
    .split("/")
    .every((part) => /^[^.\\:/\p{C}][^\\:/\p{C}]*$/u.test(part) && Buffer.byteLength(part) <= 200);
  if (plain) return;
  throw new KernelBotError(
    "unprocessable",
    `the problem has a file named ${quote(path)}, which is not written; nothing was`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw new UsageError(`cannot look at ${JSON.stringify(path)}: ${(error as Error).message}`, { cause: error });
  }
}
