/** How an entry came out, for people and for programs. */
import type { BaselineTime, Entry } from "@kernelbot/core";
import type { Connection } from "../config.ts";
import { EXIT } from "../exit.ts";
import { entryLines, failedLines } from "../render/entries.ts";
import { terminalOf } from "../terminal.ts";
import { cleaned, jsonDocument } from "../text.ts";

/** The address of an entry's page. */
export function entryPage({ server }: Connection, id: number): string {
  return `${server}/kernelbench/entries/${id}`;
}

interface Printed {
  json: boolean;
  failed: boolean;
  /** The times of the stored baseline that it is scored by, where it is. */
  stored?: readonly BaselineTime[];
}

/** Prints an entry, or those of its kernels that failed. */
export function printEntry(connection: Connection, entry: Entry, options: Printed): void {
  if (options.json) {
    process.stdout.write(`${jsonDocument(entry)}\n`);
    return;
  }
  const { print, width, style } = terminalOf(process.stdout);
  const shown = cleaned(entry);
  if (options.failed) print(failedLines(shown.results, { width, style }));
  else print([...entryLines(shown, { width, style }, options.stored), "", entryPage(connection, entry.id)]);
}

/** A kernel that fails is a result; one that the platform lost is none. */
export function exitOfEntry({ progress }: Pick<Entry, "progress">): number {
  return progress.lost > 0 ? EXIT.platform : EXIT.passed;
}
