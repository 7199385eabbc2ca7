/** Periodic background jobs of a server. */
import type { Database } from "../db/database.ts";
import { reached } from "../observe/milestones.ts";

const TICK_MS = 1000;

export interface Chore {
  /** Name in error messages. */
  name: string;
  /** Minimum interval between starts, in milliseconds. */
  everyMs: number;
  /** Set for a job that takes minutes: other jobs do not wait for it. Never runs twice at the same time. */
  long?: true;
  /** Executes the job. @param signal Aborts a long job. */
  run: (signal: AbortSignal) => Promise<unknown>;
}

export interface Chores {
  /** Resolves once the running jobs have ended. */
  stop(): Promise<void>;
}

/**
 * Starts the jobs. They run one after the other in the given order, except long ones. A failed job is logged and tried
 * again.
 */
export function startChores(database: Database, chores: readonly Chore[]): Chores {
  const stopped = new AbortController();
  const { signal } = stopped;
  const long = new Map<Chore, Promise<void>>();
  const due = new Map(chores.map((chore) => [chore, -Infinity]));

  async function tick(): Promise<void> {
    for (const [chore, at] of due) {
      if (signal.aborted || performance.now() < at || long.has(chore)) continue;
      due.set(chore, performance.now() + chore.everyMs);
      const done = attempt(chore.name, () => chore.run(signal));
      if (chore.long === undefined) await done;
      else
        long.set(
          chore,
          done.finally(() => long.delete(chore)),
        );
    }
  }

  async function attempt(name: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (signal.aborted) return;
      database.log(`a chore failed and will be tried again: ${name}: ${String(error)}`);
      reached({ type: "chore_failed", chore: name, message: String(error) });
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      await tick();
      await pause(TICK_MS, signal);
    }
    await Promise.all(long.values());
  })();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
  });
}
