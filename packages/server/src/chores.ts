/** What a server does by itself, again and again. */
import type { Database } from "./db/database.ts";
import { reached } from "./observe/milestones.ts";
import { renewLeases, sweep } from "./queue/sweep.ts";

const TICK_MS = 1000;

/** After this long without a tick nobody could take reports, or the database could not: leases then say nothing. */
const AWAY_MS = 5000;

export interface Chore {
  /** What it is called where it fails. */
  name: string;
  /** How often at most, in milliseconds. */
  everyMs: number;
  /** It takes minutes: the others do not wait for it. It is not done twice at a time either. */
  long?: true;
  /** @param signal Ends a long one before its time. */
  run: (signal: AbortSignal) => Promise<unknown>;
}

export interface Chores {
  /** Resolves once what is under way has ended. */
  stop(): Promise<void>;
}

/**
 * Sweeps leases, and does these others, one after the other but for long ones. One that fails is told to the operator and
 * ends nothing.
 */
export function startChores(database: Database, others: readonly Chore[] = []): Chores {
  const stopped = new AbortController();
  const { signal } = stopped;
  let lastTick = -Infinity;
  const long = new Map<Chore, Promise<void>>();
  const due = new Map(others.map((chore) => [chore, -Infinity]));

  async function sweepLeases(): Promise<void> {
    // At the start, and after the database was away, runners first get the time to come back.
    if (performance.now() - lastTick > AWAY_MS) await renewLeases(database);
    await sweep(database);
    lastTick = performance.now();
  }

  async function tick(): Promise<void> {
    await attempt("sweep leases", sweepLeases);
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
