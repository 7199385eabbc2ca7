/** The Parquet files of a folder. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Yields the paths of the Parquet files in a folder and its subfolders, which may be symbolic links. Folders that cannot
 * be read are left out. @param levels Levels of folders to read.
 */
export async function* parquetPaths(folder: string, levels: number): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.name.endsWith(".parquet") && !entry.isDirectory()) yield path;
    else if (levels > 1 && !entry.isFile()) yield* parquetPaths(path, levels - 1);
  }
}
