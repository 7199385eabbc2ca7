/** Parquet file on disk: its columns, and reading of its bytes. */
import { open, type FileHandle } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { parquetMetadataAsync, parquetSchema, type AsyncBuffer, type Compressors, type FileMetaData } from "hyparquet";
import type { SchemaTree } from "hyparquet";
import type { ColumnType } from "../columns.ts";
import { DatasetError } from "../error.ts";
import { PARSERS } from "./values.ts";
import { zstdDecompress } from "./zstd.ts";

/**
 * Type of a file's column. `bytes`: text that is not annotated as such. `decimal`, and `other` such as maps: unsupported.
 */
export type FileColumnType = ColumnType | "bytes" | "struct" | "decimal" | "other";

export interface FileColumn {
  name: string;
  type: FileColumnType;
  nullable: boolean;
}

/** Footer of a Parquet file; the file is open only while rows are read. */
export interface ParquetFile {
  path: string;
  rows: number;
  columns: readonly FileColumn[];
  metadata: FileMetaData;
}

/** Reads the footer of a file. @throws DatasetError when it is not a readable Parquet file. */
export async function openParquet(path: string): Promise<ParquetFile> {
  await using bytes = await openBytes(path);
  if (bytes.byteLength < 12)
    throw new DatasetError(`${path} is not a Parquet file: it has only ${bytes.byteLength} bytes`);
  try {
    const metadata = await parquetMetadataAsync(bytes, { parsers: PARSERS, geoparquet: false });
    return { path, rows: Number(metadata.num_rows), columns: parquetSchema(metadata).children.map(columnOf), metadata };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Converts an error of the Parquet reader to one that names the file. */
export function unreadable(path: string, error: unknown): DatasetError {
  if (error instanceof DatasetError) return error;
  const reason = (error as Error).message.replace(/^parquet /, "");
  if (reason.includes("PAR1")) return new DatasetError(`${path} is not a Parquet file`, { cause: error });
  const codec = /^unsupported compression codec: (\w+)$/.exec(reason)?.[1];
  if (codec !== undefined) {
    const words = `${path} is compressed with ${codec}; write it with zstd, gzip, brotli or snappy`;
    return new DatasetError(words, { cause: error });
  }
  return new DatasetError(`${path} cannot be read as Parquet and may be damaged: ${reason}`, { cause: error });
}

function columnOf({ element, children }: SchemaTree): FileColumn {
  return { name: element.name, type: typeOf(element, children), nullable: element.repetition_type !== "REQUIRED" };
}

function typeOf(element: SchemaTree["element"], children: readonly SchemaTree[]): FileColumnType {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (element.repetition_type === "REPEATED") return "other";
  if (converted === "LIST" || logical?.type === "LIST") return listOf(children);
  if (children.length > 0) return converted === undefined && logical === undefined ? "struct" : "other";
  if (converted?.startsWith("TIMESTAMP") || logical?.type === "TIMESTAMP" || type === "INT96") return "timestamp";
  if (converted === "UTF8" || converted === "ENUM" || logical?.type === "STRING") return "string";
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") return "decimal";
  if (converted === "DATE" || converted === "INTERVAL") return "other";
  if (type === "BYTE_ARRAY") return converted === undefined && logical === undefined ? "bytes" : "other";
  return PLAIN_TYPES[type ?? ""] ?? "other";
}

const PLAIN_TYPES: Record<string, ColumnType> = {
  INT64: "int64",
  INT32: "int32",
  DOUBLE: "double",
  FLOAT: "double",
  BOOLEAN: "boolean",
};

/** Returns the type of a list, which is a repeated group with one element. */
function listOf([repeated]: readonly SchemaTree[]): FileColumnType {
  const item = repeated?.children[0] ?? repeated;
  const type = item === undefined ? "other" : typeOf({ ...item.element, repetition_type: "OPTIONAL" }, item.children);
  return type === "double" ? "doubles" : type === "int32" ? "int32s" : type === "string" ? "strings" : "other";
}

/** Maximum size of an uncompressed page, above any regular one: a damaged or hostile file must not exhaust memory. */
const MAX_PAGE_BYTES = 1 << 30;

function limited(bytes: number): { maxOutputLength: number } {
  return { maxOutputLength: Math.max(1, Math.min(bytes, MAX_PAGE_BYTES)) };
}

/** Decompressors; Snappy is built into the reader. */
export const COMPRESSORS: Compressors = {
  ZSTD: (input, bytes) => zstdDecompress(input, limited(bytes)),
  GZIP: (input, bytes) => gunzipSync(input, limited(bytes)),
  BROTLI: (input, bytes) => brotliDecompressSync(input, limited(bytes)),
};

/** Minimum size of byte ranges that are cached until `forget`, since the reader requests parts of them repeatedly. */
const KEPT_BYTES = 16 << 20;

export interface Bytes extends AsyncBuffer, AsyncDisposable {
  /** Drops the cached byte ranges. */
  forget: () => void;
}

/** Opens the bytes of a file; some writers store hundreds of megabytes of a column in one range. */
export async function openBytes(path: string): Promise<Bytes> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new DatasetError(missing ? `${path} does not exist` : `cannot open ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const { size } = await file.stat();
  const kept = new Map<string, Promise<ArrayBuffer>>();
  const read = async (start: number, end: number): Promise<ArrayBuffer> => {
    const buffer = new ArrayBuffer(end - start);
    for (let at = 0; at < buffer.byteLength;) {
      const { bytesRead } = await file.read(new Uint8Array(buffer), at, buffer.byteLength - at, start + at);
      if (bytesRead === 0) throw new DatasetError(`${path} is incomplete; the download may not have finished`);
      at += bytesRead;
    }
    return buffer;
  };
  return {
    byteLength: size,
    slice(start, end = size) {
      if (start < 0 || end < start || end > size) throw new DatasetError(`${path} refers to bytes beyond its end`);
      if (end - start < KEPT_BYTES) return read(start, end);
      const found = kept.get(`${start}-${end}`) ?? read(start, end);
      kept.set(`${start}-${end}`, found);
      return found;
    },
    forget: () => kept.clear(),
    [Symbol.asyncDispose]: () => file.close(),
  };
}
