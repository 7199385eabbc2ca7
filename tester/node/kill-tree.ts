import { readdirSync, readFileSync } from "node:fs";

/**
 * Maximum number of scans: new processes may appear between two; a tree that still grows after this many is a fork bomb
 * and is killed by its process group.
 */
const MAX_LOOKS = 50;

/**
 * Kills a process, its session and all descendants. Every member is stopped before any is killed: a process that sees
 * its parent die could start another, and the PID of a stopped process cannot be reused. `leader` must have been
 * started as the leader of its own session (`detached: true`); it may be dead already.
 */
export function killTree(leader: number): void {
  const stopped = new Set<number>();
  for (let look = 0; look < MAX_LOOKS; look++) {
    const running = processTree(leader).filter((pid) => !stopped.has(pid));
    if (running.length === 0) break;
    for (const pid of running) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
  }
  signal(-leader, "SIGKILL");
  for (const pid of stopped) signal(pid, "SIGKILL");
}

/**
 * Returns the PIDs of the session of `leader` and of all descendants, whichever session those are in; empty without
 * /proc.
 */
export function processTree(leader: number): number[] {
  const processes = allProcesses();
  const members = new Set(processes.filter((entry) => entry.session === leader).map((entry) => entry.pid));
  members.add(leader);
  for (let size = 0; size !== members.size;) {
    size = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  return processes.filter((entry) => members.has(entry.pid)).map((entry) => entry.pid);
}

/** Whether a process runs. A zombie does not: without a process that reaps orphans it stays in the table. */
export function isAlive(pid: number): boolean {
  return allProcesses().some((entry) => entry.pid === pid);
}

function allProcesses(): { pid: number; parent: number; session: number }[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // `pid (command) state parent group session ...`, where the command may contain spaces and parentheses.
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), session: Number(session) }];
      } catch {
        return []; // The process has ended.
      }
    });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}
