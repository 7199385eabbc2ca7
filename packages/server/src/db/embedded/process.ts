/** Processes of this machine, by their ids. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { childEnvironment } from "@kernelbot/tester/child-environment";

interface ProcessDescription {
  command: string;
  /** Start time in a unit of the system. With the id, it identifies a process: ids are reused. */
  started: string;
}

/** Describes a process; null when it does not run or is a zombie. */
export function describeProcess(pid: number): ProcessDescription | null {
  if (!Number.isSafeInteger(pid) || pid <= 1) return null;
  const { state, command, started } = process.platform === "linux" ? readProc(pid) : askPs(pid);
  return state === "" || state.startsWith("Z") ? null : { command, started };
}

/** Returns the identity of a process as letters, digits and a hyphen; null when it does not run. */
export function identityOf(pid: number): string | null {
  const found = describeProcess(pid);
  return found === null ? null : `${pid}-${found.started}`;
}

function readProc(pid: number): ProcessDescription & { state: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain any character; the state follows the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return { state: fields[0] ?? "", started: fields[19] ?? "", command };
  } catch {
    return { state: "", started: "", command: "" };
  }
}

function askPs(pid: number): ProcessDescription & { state: string } {
  const { stdout } = spawnSync("ps", ["-o", "stat=,lstart=,command=", "-p", String(pid)], {
    env: { ...childEnvironment(process.env), LC_ALL: "C" },
    encoding: "utf8",
  });
  // lstart has five words: Sat Nov 28 10:00:00 2026.
  const [state = "", ...words] = stdout.trim().split(/\s+/);
  return { state, started: words.slice(0, 5).join("").replaceAll(/\W/g, ""), command: words.slice(5).join(" ") };
}
