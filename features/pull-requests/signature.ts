/** Verifies `X-Hub-Signature-256`, GitHub's HMAC over the bytes of the body. */
import { createHmac, timingSafeEqual } from "node:crypto";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

export function isSigned(secret: string, body: Uint8Array, header: string | undefined): boolean {
  const [, digest] = SIGNATURE.exec(header ?? "") ?? [];
  if (digest === undefined) return false;
  return timingSafeEqual(Buffer.from(digest, "hex"), createHmac("sha256", secret).update(body).digest());
}
