/** Files of a snapshot that are written in a thread of their own, beside whoever reads what is in them. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FileKind, Row } from "./columns.ts";
import type { WrittenFile } from "./write.ts";

/** Tables by the names that their rows are handed over under: where each is written, and of which kind. */
export type ThreadTables = Readonly<Record<string, { path: string; kind: FileKind }>>;

/** Rows by the names of their tables. Bytes that several rows share are handed over once. */
export type ThreadRows<Tables extends ThreadTables> = {
  readonly [Name in keyof Tables]?: readonly Row<Tables[Name]["kind"]>[];
};

export interface TablesThread<Tables extends ThreadTables> {
  /** Hands rows over; waits while those before are not written. */
  write(rows: ThreadRows<Tables>): Promise<void>;
  close(): Promise<Record<keyof Tables, WrittenFile>>;
}

/** What the thread is asked for. It answers each in turn: `close` with what is written. */
export type Ask = { rows: Readonly<Record<string, readonly object[]>> } | "close";

/** Megabytes. It holds a group of rows of each table, and V8 should not let more lie about. */
const LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 128 };

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
  let last: Promise<unknown> = Promise.resolve();

  function ask(message: Ask): Promise<unknown> {
    const answer = Promise.race([once(worker, "message").then(([answer]) => answer as unknown), failed]);
    worker.postMessage(message);
    // Whoever asks next hears of it.
    answer.catch(() => undefined);
    return answer;
  }

  return {
    async write(rows) {
      await last;
      last = ask({ rows: rows as Record<string, readonly object[]> });
    },
    async close() {
      await last;
      const written = (await ask("close")) as Record<keyof Tables, WrittenFile>;
      await worker.terminate();
      return written;
    },
  };
}
