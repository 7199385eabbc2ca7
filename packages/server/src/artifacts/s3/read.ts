/** Reads objects of a bucket. */
import { Readable } from "node:stream";
import { KernelBotError } from "@kernelbot/core";
import type { S3Options } from "./options.ts";
import { requestWithRetries, type RetryPolicy } from "./request.ts";

/** Returns a stream of an object; null if it does not exist. */
export async function readObject(options: S3Options, name: string, patience: RetryPolicy): Promise<Readable | null> {
  const response = await requestWithRetries(options, { method: "GET", name }, patience);
  return response.ok ? Readable.from(pieces(options, name, response, patience)) : null;
}

/**
 * Reads the bytes of an object. When the connection breaks or stalls, continues after the last received byte with a
 * range request.
 */
async function* pieces(
  options: S3Options,
  name: string,
  first: Response,
  patience: RetryPolicy,
): AsyncGenerator<Uint8Array, void> {
  const total = Number(first.headers.get("content-length"));
  let response = first;
  let read = 0;
  for (let triesWithoutAny = 0; read < total; triesWithoutAny += 1) {
    try {
      for await (const chunk of response.body ?? []) {
        read += chunk.length;
        triesWithoutAny = 0;
        yield chunk;
      }
    } catch (cause) {
      if (triesWithoutAny >= patience.tries) throw truncatedError(cause);
    }
    if (read >= total) return;
    if (triesWithoutAny >= patience.tries) throw truncatedError();
    const headers = { range: `bytes=${read}-` };
    response = await requestWithRetries(options, { method: "GET", name, headers, sizeBytes: total - read }, patience);
    if (response.status !== 206) throw truncatedError();
  }
}

function truncatedError(cause?: unknown): KernelBotError {
  return new KernelBotError("unavailable", "the object store returned an incomplete object", { cause });
}
