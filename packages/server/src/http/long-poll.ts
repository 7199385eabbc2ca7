/** Long polls: a request waits until what it reads has changed. */

interface LongPoll {
  /** Calls `wake` when the value may have changed; returns the function that unsubscribes. */
  subscribe: (wake: () => void) => () => void;
  waitMs: number;
  /** Ends the wait: the client has disconnected, or the server stops. */
  signal: AbortSignal;
}

/** Returns the value once it is ready, else the last one that was read when the time is up. */
export async function waitUntil<T>(
  read: () => Promise<T>,
  isReady: (value: T) => boolean,
  { subscribe, waitMs, signal }: LongPoll,
): Promise<T> {
  if (waitMs === 0) return read();
  let woken = Promise.withResolvers<true>();
  const unsubscribe = subscribe(() => woken.resolve(true));
  const over = Promise.withResolvers<true>();
  const timer = setTimeout(() => over.resolve(true), waitMs);
  const abort = (): void => over.resolve(true);
  signal.addEventListener("abort", abort);
  let isOver = signal.aborted;
  void over.promise.then(() => (isOver = true));
  try {
    for (;;) {
      // Reset before the read, so that a change during the read is not missed.
      woken = Promise.withResolvers<true>();
      const value = await read();
      if (isOver || isReady(value)) return value;
      await Promise.race([woken.promise, over.promise]);
    }
  } finally {
    unsubscribe();
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
