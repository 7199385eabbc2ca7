/** Pool of workers for stored rows. */
export interface Pool {
  /** Starts workers on due rows, up to the number of slots. Each continues until no row is due. */
  start(): Promise<void>;
  /** Resolves when no worker is running. */
  idle(): Promise<void>;
}

export interface PoolOptions<Row> {
  slots: number;
  claim: () => Promise<Row | undefined>;
  work: (row: Row) => Promise<void>;
  isEnding: () => boolean;
  log: (line: string) => void;
}

export function openPool<Row>({ slots, claim, work, isEnding, log }: PoolOptions<Row>): Pool {
  const busy = new Set<Promise<void>>();

  async function goOn(first: Row): Promise<void> {
    let row: Row | undefined = first;
    while (row !== undefined) {
      await work(row);
      row = isEnding() ? undefined : await claim();
    }
  }

  return {
    async start() {
      while (busy.size < slots && !isEnding()) {
        const row = await claim();
        if (row === undefined) return;
        const working = goOn(row)
          // The row stays leased; it is processed again after the lease expires.
          .catch((error: unknown) =>
            isEnding() ? undefined : log(`Discord: work will be done again: ${String(error)}`),
          )
          .finally(() => busy.delete(working));
        busy.add(working);
      }
    },
    async idle() {
      while (busy.size > 0) await Promise.all(busy);
    },
  };
}
