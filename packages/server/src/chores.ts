/** What a server does by itself, every second. */
import type { Database } from "./db/database.ts";
import { sweepSignIn } from "./people/sweep.ts";
import { renewLeases, sweep } from "./queue/sweep.ts";

const TICK_MS = 1000;
/** What has expired opens nothing, so that it may lie for a minute. */
const SWEEP_SIGN_IN_MS = 60_000;

/** After this long without a tick nobody could take reports, or the database could not: leases then say nothing. */
const AWAY_MS = 5000;

export interface Chores {
  /** Resolves once the tick under way has ended. */
  stop(): Promise<void>;
}

/** Starts the chores. A tick that fails is told to the operator and does not end them. */
export function startChores(database: Database): Chores {
  const stopped = new AbortController();
  let lastTick = -Infinity;
  let lastSignInSweep = -Infinity;

  async function tick(): Promise<void> {
    try {
      // At the start, and after the database was away, runners first get the time to come back.
      if (performance.now() - lastTick > AWAY_MS) await renewLeases(database);
      await sweep(database);
      lastTick = performance.now();
      if (lastTick - lastSignInSweep > SWEEP_SIGN_IN_MS) {
        await sweepSignIn(database);
        lastSignInSweep = lastTick;
      }
    } catch (error) {
      if (!stopped.signal.aborted) database.log(`a chore failed and will be tried again: ${String(error)}`);
    }
  }

  const running = (async () => {
    while (!stopped.signal.aborted) {
      await tick();
      await pause(TICK_MS, stopped.signal);
    }
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
