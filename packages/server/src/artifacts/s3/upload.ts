/** Uploads streams of unknown length to a bucket. */
import { createHash } from "node:crypto";
import { KernelBotError } from "@kernelbot/core";
import type { S3Options } from "./options.ts";
import { discard, elementsOf, requestWithRetries, requireBucket, type RetryPolicy } from "./request.ts";

/**
 * Size of the parts of an object, in bytes. An object has 10,000 parts at most, so 156 GiB. All parts but the last have
 * the same size, which Cloudflare R2 requires.
 */
const PART_BYTES = 16 * 2 ** 20;

/**
 * Uploads an object under a name; it exists completely once this resolves, and not at all before. Keeps one part in
 * memory. A stream that fits into one part is sent in one request, a longer one in a multipart upload.
 * @throws KernelBotError `unavailable` when the service fails; any error of the stream.
 */
export async function uploadObject(
  options: S3Options,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  patience: RetryPolicy,
  partBytes = PART_BYTES,
): Promise<void> {
  const send = (method: "POST" | "PUT" | "DELETE", query: Record<string, string>, body?: Buffer<ArrayBuffer>) =>
    requestWithRetries(options, { method, name, query, ...(body && bodyOf(body)) }, patience);
  let upload: { uploadId: string; etags: string[]; sizeBytes: number } | undefined;
  try {
    for await (const { part, isLast } of partsOf(bytes, partBytes)) {
      if (upload === undefined && isLast) return await requireBucket(await send("PUT", {}, part));
      upload ??= { uploadId: await startUpload(await send("POST", { uploads: "" })), etags: [], sizeBytes: 0 };
      const { uploadId, etags } = upload;
      const response = await send("PUT", { partNumber: String(etags.length + 1), uploadId }, part);
      await discard(response);
      const etag = response.headers.get("etag");
      if (!response.ok || etag === null) throw incomplete(`part ${etags.length + 1}: status ${response.status}`);
      etags.push(etag);
      upload.sizeBytes += part.length;
    }
    if (upload === undefined) return;
    const { uploadId, etags, sizeBytes } = upload;
    const completed = await send("POST", { uploadId }, Buffer.from(completionOf(etags)));
    const answer = await completed.text();
    // The service answers 200 before it has assembled the object, and may report an error in the body.
    if (completed.ok && elementsOf(answer, "ETag").length > 0) return;
    // After a lost response, the repeated request finds no upload.
    const stored = await requestWithRetries(options, { method: "HEAD", name }, patience);
    if (completed.status === 404 && Number(stored.headers.get("content-length")) === sizeBytes) return;
    throw incomplete(`status ${completed.status}, ${elementsOf(answer, "Code").join()}`);
  } catch (error) {
    // Parts of an upload that is neither completed nor aborted are stored, and charged for, until the bucket's rules delete them.
    if (upload !== undefined) {
      const aborted = await send("DELETE", { uploadId: upload.uploadId }).catch(() => undefined);
      if (aborted !== undefined) await discard(aborted);
    }
    throw error;
  }
}

/** Divides a stream into parts of `partBytes`; the last one may be shorter, or empty in an empty stream. */
async function* partsOf(bytes: AsyncIterable<Uint8Array>, partBytes: number) {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let rest = chunk;
    while (length + rest.length > partBytes) {
      const taken = partBytes - length;
      yield { part: Buffer.concat([...chunks, rest.subarray(0, taken)]), isLast: false };
      rest = rest.subarray(taken);
      [chunks, length] = [[], 0];
    }
    chunks.push(rest);
    length += rest.length;
  }
  yield { part: Buffer.concat(chunks), isLast: true };
}

async function startUpload(response: Response): Promise<string> {
  if (!response.ok) await requireBucket(response);
  const [uploadId] = elementsOf(await response.text(), "UploadId");
  if (uploadId === undefined) throw incomplete("the response has no UploadId");
  return uploadId;
}

function completionOf(etags: readonly string[]): string {
  const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}

function bodyOf(bytes: Buffer<ArrayBuffer>) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { body: { bytes: new Blob([bytes]), sha256 }, sizeBytes: bytes.length };
}

function incomplete(why: string): KernelBotError {
  return new KernelBotError("unavailable", "the object store did not complete an upload; try again in a moment", {
    cause: new Error(why),
  });
}
