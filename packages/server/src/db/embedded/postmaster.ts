/** The running PostgreSQL of a cluster, as its pid file and the system tell. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "@kernelbot/core";
import { socketPath } from "./cluster.ts";

export interface Postmaster {
  pid: number;
  socketDirectory: string;
}

/** The PostgreSQL that serves the cluster, perhaps left behind by a server that was killed. Clears what a dead one left. */
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

/** Whether the process lives, is no zombie, and is this cluster's: its number may be another's by now. */
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
    // The name in parentheses may hold anything; the state follows the last one.
    const state = stat.slice(stat.lastIndexOf(")") + 2);
    return { state, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") };
  } catch {
    return { state: "", command: "" };
  }
}
