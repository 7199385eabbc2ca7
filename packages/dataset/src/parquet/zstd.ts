/** Zstandard of Node.js, which versions before 22.15 lack. */
import zlib, { type ZstdOptions } from "node:zlib";
import { DatasetError } from "../error.ts";

export function zstdCompress(bytes: Uint8Array, options: ZstdOptions = {}): Uint8Array {
  if (!("zstdCompressSync" in zlib)) throw tooOld();
  return zlib.zstdCompressSync(bytes, options);
}

export function zstdDecompress(bytes: Uint8Array, options: ZstdOptions): Uint8Array {
  if (!("zstdDecompressSync" in zlib)) throw tooOld();
  return zlib.zstdDecompressSync(bytes, options);
}

function tooOld(): DatasetError {
  return new DatasetError(
    `datasets are compressed with Zstandard, which needs Node.js 22.15 or newer, not ${process.version}`,
  );
}
