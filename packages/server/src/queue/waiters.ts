/**
 * Runners that wait for work in this process. A notification wakes one of those that wait for its target, and one that got
 * a run wakes the next: a single run in the queue does not send a thousand runners to the database.
 */
export interface Waiters {
  /** Waits in line. */
  wait(target: string): Place;
  wakeOne(target: string): void;
  wakeAll(): void;
}

export interface Place {
  woken: Promise<void>;
  /** Out of the line; of no effect on a place that was woken. */
  leave(): void;
  /** Out of the line without a claim: whoever was woken meanwhile wakes the next, since the run still waits. */
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
