/** Secrets of tokens, sessions and links. A secret is returned once; only its hash is stored. */
import { hash, randomBytes } from "node:crypto";

/** Returns a random secret of 256 bits as 43 base64url characters. Its entropy makes a plain hash sufficient. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns whether an untrusted text has the format of a secret. */
export function isSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns the SHA-256 of a secret. */
export function hashOf(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
