/** The Parquet files of a folder. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Yields the paths of the Parquet files in a folder and its subfolders. @param levels Levels of folders to read. */
export async function* parquetPaths(folder: string, levels: number): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (levels > 1) yield* parquetPaths(path, levels - 1);
    } else if (entry.name.endsWith(".parquet")) yield path;
  }
}
