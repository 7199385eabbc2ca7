/**
 * Writes a file of a snapshot, a group of rows at a time: the memory it takes does not depend on how many rows come.
 *
 *     const table = openTable("submissions.parquet", "submissions");
 *     for await (const row of rows) table.write(row);
 *     const { sizeBytes, sha256, rows } = table.close();
 *
 * It writes synchronously: a server does this in a thread of its own.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { constants, zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { COLUMNS, type Column, type FileKind, type Row } from "./columns.ts";
import { schemaOf } from "./schema.ts";

export interface WrittenFile {
  sizeBytes: number;
  sha256: string;
  rows: number;
}

export interface TableWriter<Kind extends FileKind> {
  /** Copies what bytes are in the row. */
  write(row: Row<Kind>): void;
  close(): WrittenFile;
  /** Gives up; what is written so far is no Parquet file. */
  abandon(): void;
}

/** What readers fetch to see a row: viewers take 300 MB at most, and few rows are quickly shown. Also what is held of each file. */
const GROUP_BYTES = 4_000_000;
const GROUP_ROWS = 1000;
/** Rows without code are small, and each group costs its readers a description of every column. */
const GROUP_ROWS_WITHOUT_CODE = 10_000;
/** A group is complete with the value that reaches its bytes. */
const ARENA_BYTES = GROUP_BYTES + 1_000_000;
const PAGE_BYTES = 262_144;
const LEVEL = 1;

/** @param metadata Key-value metadata of the file. */
export function openTable<Kind extends FileKind>(
  path: string,
  kind: Kind,
  metadata: Readonly<Record<string, string>> = {},
): TableWriter<Kind> {
  const columns: readonly Column[] = COLUMNS[kind];
  const file = openFile(path);
  const parquet = new ParquetWriter({
    writer: file.writer,
    schema: schemaOf(kind),
    codec: "ZSTD",
    compressors: { ZSTD: compress },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: "KernelBot",
  });
  const withCode = columns.some(({ name }) => name === "code");
  const groupRows = withCode ? GROUP_ROWS : GROUP_ROWS_WITHOUT_CODE;
  const arena = openArena();
  let group: unknown[][] = columns.map(() => []);
  let groupBytes = 0;
  let rows = 0;

  function flush(): void {
    const [{ length }] = group as [unknown[], ...unknown[][]];
    if (length === 0) return;
    const columnData = columns.map((column, at) => ({ ...encodingOf(column), data: group[at] as unknown[] }));
    void parquet.write({ columnData, rowGroupSize: length, pageSize: PAGE_BYTES });
    file.flush();
    group = columns.map(() => []);
    groupBytes = 0;
    arena.clear();
  }

  return {
    write(row) {
      const values = row as Readonly<Record<string, unknown>>;
      columns.forEach(({ name }, at) => {
        const value = values[name];
        (group[at] as unknown[]).push(value instanceof Uint8Array ? arena.keep(value) : value);
        if (typeof value === "string" || value instanceof Uint8Array) groupBytes += value.length;
        else if (Array.isArray(value)) groupBytes += 8 * value.length;
      });
      rows += 1;
      if ((group[0] as unknown[]).length >= groupRows || groupBytes >= GROUP_BYTES) flush();
    },
    close() {
      flush();
      void parquet.finish();
      return { ...file.close(), rows };
    },
    abandon() {
      file.close();
    },
  };
}

/** Sources hardly ever repeat, and nobody filters by them. */
function encodingOf({ name }: Column) {
  return name === "code" ? ({ name, encoding: "PLAIN", statistics: false } as const) : { name };
}

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { chunkSize: 131_072, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

/**
 * The bytes of a group's values, in one piece of memory that each group uses again: as pieces of their own they would keep
 * alive whatever they were read with, and thousands of them keep the garbage collector busy.
 */
function openArena() {
  let memory: Uint8Array | undefined;
  let used = 0;
  return {
    keep(bytes: Uint8Array): Uint8Array {
      memory ??= new Uint8Array(ARENA_BYTES);
      if (used + bytes.length > memory.length) return bytes.slice();
      const kept = memory.subarray(used, used + bytes.length);
      kept.set(bytes);
      used += bytes.length;
      return kept;
    },
    clear(): void {
      used = 0;
    },
  };
}

/** A file that is hashed on its way to the disk. */
function openFile(path: string) {
  const descriptor = openSync(path, "wx");
  const writer = new ByteWriter();
  const hash = createHash("sha256");

  function flush(): void {
    const bytes = writer.getBytes();
    hash.update(bytes);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    writer.index = 0;
  }

  return {
    writer,
    flush,
    close(): { sizeBytes: number; sha256: string } {
      flush();
      closeSync(descriptor);
      return { sizeBytes: writer.offset, sha256: hash.digest("hex") };
    },
  };
}
