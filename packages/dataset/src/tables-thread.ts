/** Files of a snapshot that are written in a thread of their own, beside whoever reads what is in them. */
import { Worker } from "node:worker_threads";
import type { FileKind, Row } from "./columns.ts";
import type { WrittenFile } from "./write.ts";

/** Tables by the names that their rows are handed over under: where each is written, and of which kind. */
export type ThreadTables = Readonly<Record<string, { path: string; kind: FileKind }>>;

/** Rows by the names of their tables. */
export type ThreadRows<Tables extends ThreadTables> = {
  readonly [Name in keyof Tables]?: readonly Row<Tables[Name]["kind"]>[];
};

export interface TablesThread<Tables extends ThreadTables> {
  /**
   * Hands rows over; waits while too many before are not written.
   * @param memory What the bytes in them lie in, which goes with them: here it is empty from then on.
   */
  write(rows: ThreadRows<Tables>, memory: readonly ArrayBuffer[]): Promise<void>;
  close(): Promise<Record<keyof Tables, WrittenFile>>;
}

/** What the thread is asked for. It answers each in turn: `close` with what is written. */
export type Ask = { rows: Readonly<Record<string, readonly object[]>> } | "close";

/** Megabytes. It holds a group of rows of each table; a young generation as small as this lets little more lie about. */
const LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1024 };

/** So often rows are handed over before the first are written: a thread that completes a group takes long, and then none. */
const AHEAD = 4;

/** As `openTable` for each table, which the thread calls. @param metadata Key-value metadata of each file. */
export function openTablesThread<Tables extends ThreadTables>(
  tables: Tables,
  metadata: Readonly<Record<string, string>> = {},
): TablesThread<Tables> {
  const script = new URL("./tables-thread-main.ts", import.meta.url);
  const worker = new Worker(script, { workerData: { tables, metadata }, resourceLimits: LIMITS });
  // Where the others fail nobody closes it, and it must keep nobody from ending.
  worker.unref();
  const failed = new Promise<never>((_, reject) => worker.once("error", reject));
  const waiting: ((answer: unknown) => void)[] = [];
  worker.on("message", (answer: unknown) => waiting.shift()?.(answer));
  const asked: Promise<unknown>[] = [];

  function ask(message: Ask, memory: readonly ArrayBuffer[] = []): Promise<unknown> {
    const answer = Promise.race([new Promise<unknown>((resolve) => waiting.push(resolve)), failed]);
    worker.postMessage(message, memory);
    // Whoever asks next hears of it.
    answer.catch(() => undefined);
    return answer;
  }

  return {
    async write(rows, memory) {
      if (asked.length === AHEAD) await asked.shift();
      asked.push(ask({ rows: rows as Record<string, readonly object[]> }, memory));
    },
    async close() {
      await Promise.all(asked);
      const written = (await ask("close")) as Record<keyof Tables, WrittenFile>;
      await worker.terminate();
      return written;
    },
  };
}
