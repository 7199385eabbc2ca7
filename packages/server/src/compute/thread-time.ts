/** Processor time of a thread, as Linux counts it. Node.js reports it for other threads from version 24.6 only. */
import { readFileSync, readlinkSync } from "node:fs";

/** Clock ticks of `/proc`, in milliseconds. */
const TICK_MS = 10;

/** Returns the id of the calling thread; null where there is no `/proc`. */
export function ownThreadId(): number | null {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return null;
  }
}

/**
 * Returns the processor time of a thread of this process, in milliseconds. Where the system does not report it, returns
 * the elapsed time, which is the same on an idle machine.
 */
export function threadTimeMs(threadId: number | null): number {
  if (threadId === null) return performance.now();
  try {
    const stat = readFileSync(`/proc/self/task/${threadId}/stat`, "utf8");
    // The name in parentheses may contain any character. utime and stime are the fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    // The thread has ended, which its owner is about to learn.
    return 0;
  }
}
