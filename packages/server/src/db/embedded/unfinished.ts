/** Files that a start of PostgreSQL creates under another name, so that they are either complete or missing. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeProcess } from "./process.ts";

const UNFINISHED = /\.unfinished-(\d+)$/;

/** Returns the path at which this process creates what it then renames to `path`. */
export function unfinishedPath(path: string): string {
  return `${path}.unfinished-${process.pid}`;
}

/** Deletes what processes that have ended did not finish in a data folder. */
export function deleteUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = UNFINISHED.exec(name)?.[1];
    if (pid !== undefined && describeProcess(Number(pid)) === null) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
    }
  }
}
