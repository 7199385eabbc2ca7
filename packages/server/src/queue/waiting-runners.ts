/**
 * Runners of this process that wait for work. A notification wakes one runner that waits for its target, and a runner
 * that claimed a run wakes the next: a single queued run does not cause a query per waiting runner.
 */
interface Waiters {
  /** Adds a waiter to the end of the target's line. */
  wait(target: string): WaitingRunner;
  wakeOne(target: string): void;
  wakeAll(): void;
}

interface WaitingRunner {
  woken: Promise<void>;
  /** Removes the waiter. Has no effect if it was woken. */
  leave(): void;
  /**
   * Removes a waiter that did not claim. If it was woken meanwhile, wakes the next one, because the run is still
   * queued.
   */
  passOn(): void;
}

export function createWaiters(): Waiters {
  const lines = new Map<string, Set<() => void>>();

  function wakeOne(target: string): void {
    const [first] = lines.get(target) ?? [];
    first?.();
  }

  return {
    wait(target) {
      const line = lines.get(target) ?? new Set();
      lines.set(target, line);
      let wake: () => void = () => undefined;
      const leave = (): void => {
        line.delete(wake);
        if (line.size === 0 && lines.get(target) === line) lines.delete(target);
      };
      let resolve: () => void = () => undefined;
      const woken = new Promise<void>((done) => {
        resolve = done;
      });
      let isWoken = false;
      wake = () => {
        isWoken = true;
        leave();
        resolve();
      };
      line.add(wake);
      const passOn = (): void => {
        leave();
        if (isWoken) wakeOne(target);
      };
      return { woken, leave, passOn };
    },
    wakeOne,
    wakeAll() {
      for (const line of [...lines.values()]) for (const wake of [...line]) wake();
    },
  };
}
