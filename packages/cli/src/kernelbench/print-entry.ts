/** Results of an entry, for the terminal and as JSON. */
import type { BaselineTime, KernelBenchEntry } from "@kernelbot/core";
import type { Connection } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { entryLines, failedLines } from "../render/entries.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

/** Returns the address of an entry's page. */
export function entryPage({ server }: Connection, id: number): string {
  return `${server}/kernelbench/entries/${id}`;
}

interface Printed {
  json: boolean;
  failed: boolean;
  /** Times of the stored baseline that scores the entry, if one does. */
  stored?: readonly BaselineTime[];
}

/** Prints an entry, or only its failed kernels. */
export function printEntry(connection: Connection, entry: KernelBenchEntry, options: Printed): void {
  if (options.json) {
    process.stdout.write(`${jsonDocument(entry)}\n`);
    return;
  }
  const { print, width, style } = terminalOf(process.stdout);
  const shown = sanitize(entry);
  if (options.failed) print(failedLines(shown.results, { width, style }));
  else print([...entryLines(shown, { width, style }, options.stored), "", entryPage(connection, entry.id)]);
}

/** Returns the exit code of an entry. A kernel that fails is a result; a kernel lost by the platform is not. */
export function exitOfEntry({ progress }: Pick<KernelBenchEntry, "progress">): number {
  return progress.lost > 0 ? EXIT.platform : EXIT.passed;
}
