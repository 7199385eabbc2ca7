/** The thread of table-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import type { FileKind, Row } from "./columns.ts";
import type { Ask } from "./table-thread.ts";
import { openTable } from "./write.ts";

const { path, kind, metadata } = workerData as { path: string; kind: FileKind; metadata: Record<string, string> };
const table = openTable(path, kind, metadata);

parentPort?.on("message", (ask: Ask) => {
  if (ask !== "close") for (const row of ask.rows) table.write(row as Row<FileKind>);
  parentPort?.postMessage(ask === "close" ? table.close() : null);
});
