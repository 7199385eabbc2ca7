/** Work on rows, several at once. */
export interface Pool {
  /** Begins to work on what is due, as far as slots are free. Each slot goes on until nothing is due. */
  start(): Promise<void>;
  /** Resolves when nothing is being worked on. */
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
          // The row is held until its time is over, and then worked on again.
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
