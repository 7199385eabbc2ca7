/** Where snapshots lie that were downloaded without naming a folder. */
import { homedir } from "node:os";
import { join } from "node:path";

/** By the XDG base directory specification: what is here can be had again. */
export function datasetsFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kernelbot", "datasets");
}

/** The folder of one snapshot of a server: `~/.cache/kernelbot/datasets/kernels.example.org/7`. */
export function snapshotFolder(server: string, id: number, env?: NodeJS.ProcessEnv): string {
  return join(datasetsFolder(env), new URL(server).host.replace(":", "-"), String(id));
}
