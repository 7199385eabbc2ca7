/** The running PostgreSQL process of a cluster, found by its pid file. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "@kernelbot/tester/child-environment";
import { socketPath } from "./cluster.ts";

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
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  const { state, command } = describe(pid);
  return !state.startsWith("Z") && command.includes("postgres") && command.includes(cluster);
}

function describe(pid: number): { state: string; command: string } {
  if (process.platform !== "linux") {
    const { stdout } = spawnSync("ps", ["-o", "stat=,command=", "-p", String(pid)], {
      env: childEnvironment(process.env),
      encoding: "utf8",
    });
    const [state = "", ...command] = stdout.trim().split(/\s+/);
    return { state, command: command.join(" ") };
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain any character; the state follows the last parenthesis.
    const state = stat.slice(stat.lastIndexOf(")") + 2);
    return { state, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") };
  } catch {
    return { state: "", command: "" };
  }
}
