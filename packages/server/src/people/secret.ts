/** What opens something is told once; only its hash is kept. */
import { createHash, randomBytes } from "node:crypto";

/** 256 bits, so that guessing is hopeless and a plain hash is enough; 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether a text of a stranger could be a secret of ours. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The SHA-256 of a secret. */
export function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
