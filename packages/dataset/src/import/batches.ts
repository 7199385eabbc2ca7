/** Splits corpus files into batches that a server accepts. */
import {
  IMPORT_ROWS,
  IMPORT_SOURCE_BYTES,
  type ImportBatch,
  type ImportedProblem,
  type ImportHead,
} from "@kernelbot/core";
import type { ParquetFile } from "../parquet/file.ts";
import { corpusOf, readCorpus, type CorpusRow } from "./corpus-rows.ts";

/** Batch, and the number of rows of all files read so far. */
interface NextBatch {
  batch: ImportBatch;
  read: number;
}

/** Yields the problems first, then the rows in order; rows with faults or without a run are omitted. */
export async function* importBatches(
  files: readonly ParquetFile[],
  head: ImportHead,
  problems: ImportedProblem[],
  signal?: AbortSignal,
): AsyncGenerator<NextBatch> {
  let read = 0;
  yield { batch: { head, discordUsers: false, problems, sources: [], rows: [] }, read };
  for (const file of files) {
    const { discordUsers } = corpusOf(file);
    let open = new OpenBatch(head, discordUsers);
    for await (const rows of readCorpus(file, signal)) {
      for (const each of rows) {
        if ("row" in each && !open.take(each.row)) {
          yield { batch: open.batch, read };
          open = new OpenBatch(head, discordUsers);
          open.take(each.row);
        }
        read += 1;
      }
    }
    yield { batch: open.batch, read };
  }
}

class OpenBatch {
  readonly batch: ImportBatch;
  readonly #places = new Map<string, number>();
  #bytes = 0;

  constructor(head: ImportHead, discordUsers: boolean) {
    this.batch = { head, discordUsers, problems: [], sources: [], rows: [] };
  }

  /** Adds a row; returns false when the batch is full. An empty batch accepts any row. */
  take({ code, problemName: _, ...row }: CorpusRow): boolean {
    const { sources, rows } = this.batch;
    const known = this.#places.get(code);
    const bytes = known === undefined ? Buffer.byteLength(code) : 0;
    if (rows.length >= IMPORT_ROWS || (rows.length > 0 && this.#bytes + bytes > IMPORT_SOURCE_BYTES)) return false;
    const source = known ?? sources.push(code) - 1;
    this.#places.set(code, source);
    this.#bytes += bytes;
    rows.push({ ...row, source });
    return true;
  }
}
