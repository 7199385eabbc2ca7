/** Writes files of a snapshot in a worker thread, concurrently with the reading of their rows. */
import { Worker } from "node:worker_threads";
import type { FileKind, Row } from "../columns.ts";
import type { WrittenFile } from "./table-writer.ts";

/** Tables by name: path and kind of each file. */
export type ThreadTables = Readonly<Record<string, { path: string; kind: FileKind }>>;

/** Rows by table name. */
export type ThreadRows<Tables extends ThreadTables> = {
  readonly [Name in keyof Tables]?: readonly Row<Tables[Name]["kind"]>[];
};

export interface TablesThread<Tables extends ThreadTables> {
  /**
   * Sends rows to the thread; waits while too many earlier calls are unfinished.
   * @param memory Buffers of the bytes in the rows. They are transferred, so they are detached afterwards.
   */
  write(rows: ThreadRows<Tables>, memory: readonly ArrayBuffer[]): Promise<void>;
  close(): Promise<Record<keyof Tables, WrittenFile>>;
}

/** Message to the thread. It replies to each in order, to `close` with the written files. */
export type Ask = { rows: Readonly<Record<string, readonly object[]>> } | "close";

/** Heap limits in MB. The heap contains one row group per table; a small young generation limits garbage. */
const LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1024 };

/** Maximum number of unfinished calls: completing a row group takes long, other calls hardly any time. */
const AHEAD = 4;

/** Opens a thread that calls `openTable` for each table. @param metadata Key-value metadata of each file. */
export function openTablesThread<Tables extends ThreadTables>(
  tables: Tables,
  metadata: Readonly<Record<string, string>> = {},
): TablesThread<Tables> {
  const script = new URL("./writer-thread-main.ts", import.meta.url);
  const worker = new Worker(script, { workerData: { tables, metadata }, resourceLimits: LIMITS });
  // After a failure elsewhere nothing closes the thread, and it must not keep the process running.
  worker.unref();
  const failed = new Promise<never>((_, reject) => worker.once("error", reject));
  // The thread may fail between two calls; the next one reports it.
  failed.catch(() => undefined);
  const waiting: ((answer: unknown) => void)[] = [];
  worker.on("message", (answer: unknown) => waiting.shift()?.(answer));
  const pending: Promise<unknown>[] = [];

  function ask(message: Ask, memory: readonly ArrayBuffer[] = []): Promise<unknown> {
    const answer = Promise.race([new Promise<unknown>((resolve) => waiting.push(resolve)), failed]);
    worker.postMessage(message, memory);
    // The error is reported by the next call.
    answer.catch(() => undefined);
    return answer;
  }

  return {
    async write(rows, memory) {
      if (pending.length === AHEAD) await pending.shift();
      pending.push(ask({ rows: rows as Record<string, readonly object[]> }, memory));
    },
    async close() {
      await Promise.all(pending);
      const written = (await ask("close")) as Record<keyof Tables, WrittenFile>;
      await worker.terminate();
      return written;
    },
  };
}
