/** A file of a snapshot that is written in a thread of its own, beside others that take as long to compress. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FileKind, Row } from "./columns.ts";
import type { WrittenFile } from "./write.ts";

export interface TableThread<Kind extends FileKind> {
  /** Hands rows over; waits while those before are not written. */
  write(rows: readonly Row<Kind>[]): Promise<void>;
  close(): Promise<WrittenFile>;
}

/** What the thread is asked for. It answers each in turn: `close` with what is written. */
export type Ask = { rows: readonly object[] } | "close";

/** Megabytes. It holds a group of rows, and V8 should not let more lie about. */
const LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 128 };

/** As `openTable`, which the thread calls. */
export function openTableThread<Kind extends FileKind>(
  path: string,
  kind: Kind,
  metadata: Readonly<Record<string, string>> = {},
): TableThread<Kind> {
  const script = new URL("./table-thread-main.ts", import.meta.url);
  const worker = new Worker(script, { workerData: { path, kind, metadata }, resourceLimits: LIMITS });
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
      last = ask({ rows });
    },
    async close() {
      await last;
      const written = (await ask("close")) as WrittenFile;
      await worker.terminate();
      return written;
    },
  };
}
