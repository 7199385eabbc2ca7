import { open } from "node:fs/promises";
import { basename, extname } from "node:path";
import { Readable } from "node:stream";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Context } from "hono";
import type { HttpEnv } from "../services.ts";
import { notModified } from "./etag.ts";
import { partOf } from "./range.ts";

const MEDIA_TYPES: Record<string, string> = {
  ".gz": "application/gzip",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".parquet": "application/vnd.apache.parquet",
  ".tgz": "application/gzip",
  ".whl": "application/zip",
};

/** A file whose content is known. */
interface SentFile {
  /** Name, which may contain folders. */
  path: string;
  sha256: string;
  sizeBytes: number;
}

/** Responds with a file, or with the requested byte range, streamed from disk. Handles ETags and Range requests. */
export async function sendFile(
  c: Context<HttpEnv>,
  { path: name, sha256, sizeBytes }: SentFile,
  path: string,
  { isImmutable }: { isImmutable: boolean },
): Promise<Response> {
  const etag = `"${sha256}"`;
  const headers = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache",
  };
  if (notModified(c, etag)) return c.body(null, 304, headers);
  const isHead = c.req.method === "HEAD";
  const conditions = { range: isHead ? undefined : c.req.header("range"), ifRange: c.req.header("if-range") };
  const part = partOf(conditions, etag, sizeBytes);
  if (part === "unsatisfiable") return c.body(null, 416, { ...headers, "content-range": `bytes */${sizeBytes}` });
  const { first, last } = part ?? { first: 0, last: sizeBytes - 1 };
  const described = {
    ...headers,
    "content-type": MEDIA_TYPES[extname(name)] ?? "text/plain; charset=utf-8",
    "content-disposition": `attachment; filename="${basename(name)}"`,
    "content-length": String(last - first + 1),
    ...(part !== null && { "content-range": `bytes ${first}-${last}/${sizeBytes}` }),
  };
  const status = part === null ? 200 : 206;
  if (isHead || sizeBytes === 0) return c.body(null, status, described);
  const bytes = (await opened(path, name, sizeBytes)).createReadStream({ start: first, end: last });
  return c.body(Readable.toWeb(bytes) as ReadableStream, status, described);
}

/**
 * Opens a file whose stream closes it after reading.
 * @throws KernelBotError `unavailable` where it is missing or its size differs.
 */
async function opened(path: string, name: string, sizeBytes: number) {
  const file = await open(path).catch(() => null);
  if (file !== null && (await file.stat()).size === sizeBytes) return file;
  await file?.close();
  throw new KernelBotError("unavailable", `${quote(name)} is missing or damaged on the disk of this server`);
}
