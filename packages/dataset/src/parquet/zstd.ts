/** Zstandard of Node.js, which versions before 22.15 lack. */
import zlib, { type ZstdOptions } from "node:zlib";
import { DatasetError } from "../error.ts";

export function zstdCompress(bytes: Uint8Array, options: ZstdOptions = {}): Uint8Array {
  requireZstd();
  return zlib.zstdCompressSync(bytes, options);
}

export function zstdDecompress(bytes: Uint8Array, options: ZstdOptions): Uint8Array {
  requireZstd();
  return zlib.zstdDecompressSync(bytes, options);
}

/** Returns why this Node.js cannot read and write datasets; null if it can. */
export function zstdObstacle(module: object = zlib): string | null {
  if ("zstdCompressSync" in module) return null;
  return `datasets are compressed with Zstandard, which needs Node.js 22.15 or newer, not ${process.version}`;
}

function requireZstd(): void {
  const obstacle = zstdObstacle();
  if (obstacle !== null) throw new DatasetError(obstacle);
}
