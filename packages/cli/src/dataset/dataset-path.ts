/** Locations of datasets. */
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../command/exit.ts";

/** Returns the folder of downloaded snapshots, one subfolder each, following the XDG base directory specification. */
function datasetCache(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kernelbot", "datasets");
}

/** Returns the default folder of a server's snapshot: `~/.cache/kernelbot/datasets/kernels.example.org-7`. */
export function snapshotFolder(server: string, id: number): string {
  return join(datasetCache(), `${new URL(server).host.replace(":", "-")}-${id}`);
}

/**
 * Returns the dataset named by `--data`, else the current folder if it contains Parquet files, else the newest
 * download.
 * @throws UsageError when none of these exists.
 */
export async function findDataset(option: string | undefined): Promise<string> {
  if (option !== undefined) return option;
  // Loaded here, since the help of each command loads this file.
  const { parquetPaths } = await import("@kernelbot/dataset");
  for await (const _ of parquetPaths(".", 2)) return ".";
  const newest = await newestDownload(datasetCache());
  if (newest !== null) return newest;
  throw new UsageError(
    "no dataset in this folder, and none was downloaded; use --data DIR, or run kernelbot dataset download",
  );
}

async function newestDownload(cache: string): Promise<string | null> {
  const names = await readdir(cache).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const manifest = await stat(join(cache, name, "dataset.json")).catch(() => null);
      return manifest === null ? [] : [{ path: join(cache, name), at: manifest.mtimeMs }];
    }),
  );
  return found.flat().toSorted((one, other) => other.at - one.at)[0]?.path ?? null;
}
