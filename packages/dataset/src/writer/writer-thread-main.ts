/** Worker thread of writer-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import type { FileKind, Row } from "../columns.ts";
import type { Ask, ThreadTables } from "./writer-thread.ts";
import { openTable } from "./table-writer.ts";

const { tables, metadata } = workerData as { tables: ThreadTables; metadata: Record<string, string> };
const open = new Map(Object.entries(tables).map(([name, { path, kind }]) => [name, openTable(path, kind, metadata)]));

parentPort?.on("message", (ask: Ask) => {
  if (ask === "close") {
    parentPort?.postMessage(Object.fromEntries([...open].map(([name, table]) => [name, table.close()])));
    return;
  }
  for (const [name, rows] of Object.entries(ask.rows)) {
    for (const row of rows) open.get(name)?.write(row as Row<FileKind>);
  }
  parentPort?.postMessage(null);
});
