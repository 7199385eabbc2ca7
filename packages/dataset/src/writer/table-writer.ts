/**
 * Writes a file of a snapshot one row group at a time: memory use does not depend on the number of rows.
 *
 *     const table = openTable("submissions.parquet", "submissions");
 *     for await (const row of rows) table.write(row);
 *     const { sizeBytes, sha256, rows } = table.close();
 *
 * Writing is synchronous, so a server uses a worker thread.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { constants } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { COLUMNS, type Column, type FileKind, type Row } from "../columns.ts";
import { zstdCompress } from "../parquet/zstd.ts";
import { schemaOf } from "./parquet-schema.ts";

export interface WrittenFile {
  sizeBytes: number;
  sha256: string;
  rows: number;
}

export interface TableWriter<Kind extends FileKind> {
  /** Writes a row. Byte values are copied. */
  write(row: Row<Kind>): void;
  close(): WrittenFile;
  /** Closes the file without completing it; it is not a valid Parquet file. */
  abandon(): void;
}

/**
 * Maximum bytes of a row group, which readers fetch to show a row: viewers accept at most 300 MB, and small groups load
 * fast. Also the memory used per file.
 */
const GROUP_BYTES = 4_000_000;
const GROUP_ROWS = 1000;
/** Rows without code are small, and each row group adds metadata for every column. */
const GROUP_ROWS_WITHOUT_CODE = 10_000;
/** Size of the arena: a row group ends with the value that exceeds its limit. */
const ARENA_BYTES = GROUP_BYTES + 1_000_000;
const PAGE_BYTES = 262_144;
const LEVEL = 1;

/** Opens a file for writing. @param metadata Key-value metadata of the file. */
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

/**
 * Returns the encoding of a column. Sources rarely repeat and are not filtered by value, so they have neither
 * dictionary nor statistics.
 */
function encodingOf({ name }: Column) {
  return name === "code" ? ({ name, encoding: "PLAIN", statistics: false } as const) : { name };
}

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompress(bytes, { chunkSize: 131_072, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

/**
 * Buffer for the bytes of a row group's values, reused by each group: separate buffers would keep alive the chunks they
 * were read from, and thousands of them burden the garbage collector.
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

/** Opens a file whose bytes are hashed as they are written. */
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
