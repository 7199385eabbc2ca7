/**
 * Workers for leased rows of work (lease.ts). A worker claims one row after another until none is due. A row whose work
 * fails stays leased unless `work` releases it; it is claimed again when its lease expires.
 *
 *     const workers = openWorkers({ name: "webhook delivery", slots: 16, slowMs, claim, work, signal, log });
 *     await workers.start();
 */
export interface Work<Row> {
  /** Name of one piece of work, for the log. */
  name: string;
  /** Maximum number of rows that this server works on concurrently. */
  slots: number;
  /** Time after which unfinished work on a row is logged, because it occupies a worker. */
  slowMs: number;
  /** Leases a due row; undefined when none is due. */
  claim: () => Promise<Row | undefined>;
  /** Does the work of a row and stores the result: success, a later retry, or the reason of a permanent failure. */
  work: (row: Row) => Promise<void>;
  /** Stops the workers after their current rows. Errors of aborted work are not logged. */
  signal: AbortSignal;
  log: (line: string) => void;
}

export interface Workers {
  /** Starts workers on due rows, up to the number of slots. Each continues until no row is due. */
  start(): Promise<void>;
  /** Resolves when no worker is running. */
  idle(): Promise<void>;
}

/** Works on one row after another until none is due. */
export async function workOffDue<Row>(work: Omit<Work<Row>, "slots">): Promise<void> {
  const workers = openWorkers({ ...work, slots: 1 });
  await workers.start();
  await workers.idle();
}

export function openWorkers<Row>({ name, slots, slowMs, claim, work, signal, log }: Work<Row>): Workers {
  const busy = new Set<Promise<void>>();

  async function workFrom(first: Row): Promise<void> {
    for (let row: Row | undefined = first; row !== undefined; row = signal.aborted ? undefined : await claim()) {
      const timer = setTimeout(() => log(`${name} has been running for ${slowMs / 1000} s`), slowMs);
      try {
        await work(row);
      } finally {
        clearTimeout(timer);
      }
    }
  }

  return {
    async start() {
      while (busy.size < slots && !signal.aborted) {
        const row = await claim();
        if (row === undefined) return;
        const working = workFrom(row)
          .catch((error: unknown) => {
            if (!signal.aborted) log(`${name} failed, retrying after the lease expires: ${String(error)}`);
          })
          .finally(() => busy.delete(working));
        busy.add(working);
      }
    },
    async idle() {
      while (busy.size > 0) await Promise.all(busy);
    },
  };
}
