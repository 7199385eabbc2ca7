/**
 * Runners that wait for work in this process. A notification wakes one of those that wait for its target, and one that got
 * a run wakes the next: a single run in the queue does not send a thousand runners to the database.
 */
export interface Waiters {
  /** Waits in line; `left` takes it out of the line without it having been woken. */
  wait(target: string): { woken: Promise<void>; leave: () => void };
  wakeOne(target: string): void;
  wakeAll(): void;
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
      const woken = new Promise<void>((resolve) => {
        wake = () => {
          leave();
          resolve();
        };
      });
      line.add(wake);
      return { woken, leave };
    },
    wakeOne,
    wakeAll() {
      for (const line of [...lines.values()]) for (const wake of [...line]) wake();
    },
  };
}
