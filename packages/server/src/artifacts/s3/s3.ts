/**
 * Object store in an S3-compatible bucket. Objects are named by their SHA-256, so each is first written to a temporary
 * file, then sent in one request with the hash, which the service verifies. One request is limited to 5 GB.
 */
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import { spool } from "../spool.ts";
import type { ObjectStore } from "../store.ts";
import type { S3Options } from "./options.ts";
import { readObject } from "./read.ts";
import { discard, requestWithRetries, requireBucket, RETRY_POLICY, type RetryPolicy } from "./request.ts";

const SHA256_OF_X = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

/** Opens a store. Sends no request; use `check` to test the service. */
export function openS3Store(options: S3Options, patience: RetryPolicy = RETRY_POLICY): ObjectStore {
  const sizeOf = async (name: string): Promise<number | null> => {
    const response = await requestWithRetries(options, { method: "HEAD", name }, patience);
    return response.ok ? Number(response.headers.get("content-length")) : null;
  };

  return {
    async put(bytes, maxBytes) {
      const folder = await mkdtemp(join(tmpdir(), "kernelbot-upload-"));
      try {
        const path = join(folder, "object");
        const stored = await spool(path, bytes, maxBytes);
        const { sha256, sizeBytes } = stored;
        if ((await sizeOf(nameOf(sha256))) === sizeBytes) return stored;
        const body = { bytes: await openAsBlob(path), sha256 };
        await requestWithRetries(options, { method: "PUT", name: nameOf(sha256), body, sizeBytes }, patience).then(
          requireBucket,
        );
        return stored;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    get: (sha256) => readObject(options, nameOf(sha256), patience),
    size: (sha256) => sizeOf(nameOf(sha256)),
    async delete(sha256) {
      await discard(await requestWithRetries(options, { method: "DELETE", name: nameOf(sha256) }, patience));
    },
    async check() {
      const name = `check-${randomUUID()}`;
      const body = { bytes: new Blob(["x"]), sha256: SHA256_OF_X };
      const once = { ...patience, tries: 1 };
      await requestWithRetries(options, { method: "PUT", name, body, sizeBytes: 1 }, once).then(requireBucket);
      await discard(await requestWithRetries(options, { method: "DELETE", name }, once));
    },
    async link(sha256, { name, mediaType, seconds }) {
      const url = new URL(`${options.publicBucketUrl}/${options.prefix}${nameOf(sha256)}`);
      url.searchParams.set("X-Amz-Expires", String(seconds));
      url.searchParams.set("response-content-disposition", `attachment; filename="${name}"`);
      url.searchParams.set("response-content-type", mediaType);
      const { accessKeyId, secretAccessKey, sessionToken, region } = options;
      const signer = new AwsV4Signer({
        method: "GET",
        url: url.href,
        accessKeyId,
        secretAccessKey: secretAccessKey.reveal(),
        ...(sessionToken !== undefined && { sessionToken: sessionToken.reveal() }),
        service: "s3",
        region,
        signQuery: true,
      });
      return (await signer.sign()).url.href;
    },
  };
}

function nameOf(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError("not a SHA-256 in hexadecimal");
  return sha256;
}
