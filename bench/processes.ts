/** Processes of a tree, with their memory. */
import { readFileSync, readdirSync } from "node:fs";

export interface Process {
  pid: number;
  parent: number;
  name: string;
  rssMb: number;
  pssMb: number;
}

export function sum(processes: Process[], what: "rssMb" | "pssMb"): number {
  return processes.reduce((total, process) => total + process[what], 0);
}

/** Returns a process and its descendants. */
export function tree(root: number | undefined): Process[] {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(processOf);
  const family = new Set([root]);
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  return processes.filter(({ pid }) => family.has(pid));
}

/** Returns the process of this ID; nothing if it has ended. */
function processOf(pid: string): Process[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return [
      {
        pid: Number(pid),
        parent: Number(field(status, "PPid")),
        name: field(status, "Name"),
        rssMb: megabytes(rollup, "Rss"),
        pssMb: megabytes(rollup, "Pss"),
      },
    ];
  } catch {
    return [];
  }
}

export function megabytes(rollup: string, name: string): number {
  return (Number.parseInt(field(rollup, name)) * 1024) / 1e6;
}

function field(text: string, name: string): string {
  return new RegExp(`^${name}:\\s+(.*)$`, "m").exec(text)?.[1] ?? "0";
}
