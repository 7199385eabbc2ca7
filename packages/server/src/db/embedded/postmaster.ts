/** The running PostgreSQL process of a cluster, found by its pid file. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { socketPath } from "./cluster.ts";
import { describeProcess } from "./process.ts";

export interface Postmaster {
  pid: number;
  socketDirectory: string;
}

/**
 * Returns the process that serves the cluster, which a killed server may have left running. Removes the pid file and
 * socket lock of a process that has ended.
 */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const pidFile = join(cluster, "postmaster.pid");
  let lines: string[];
  try {
    lines = readFileSync(pidFile, "utf8").split("\n");
  } catch {
    return undefined;
  }
  // Lines: pid, data directory, start time, port, socket directory, listen address, shared memory, status.
  const pid = Number(lines[0]);
  const socketDirectory = lines[4] ?? "";
  if (isPostmaster(pid, cluster)) return { pid, socketDirectory };
  rmSync(pidFile, { force: true });
  if (socketDirectory !== "") rmSync(`${socketPath(socketDirectory)}.lock`, { force: true });
  return undefined;
}

/**
 * Returns whether the process is running (not a zombie) and serves this cluster; the pid may have been reused by
 * another process.
 */
export function isPostmaster(pid: number, cluster: string): boolean {
  const command = describeProcess(pid)?.command ?? "";
  return command.includes("postgres") && command.includes(cluster);
}
