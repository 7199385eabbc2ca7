/** Verifies Discord's Ed25519 signature (RFC 8032) over the timestamp and the bytes of the body. */
import { createPublicKey, verify, type KeyObject } from "node:crypto";

/** Maximum age of a signature; an interaction must be answered within three seconds. */
const FRESH_MS = 5 * 60_000;
/** The header of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** Returns the key. @param hex The 32 bytes of the application's public key. */
export function publicKeyOf(hex: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(hex, "hex")]), format: "der", type: "spki" });
}

export interface Signed {
  body: Uint8Array;
  signature: string | undefined;
  /** Seconds since 1970, as a decimal string. */
  timestamp: string | undefined;
}

export function isSigned(key: KeyObject, { body, signature, timestamp }: Signed, now: Date): boolean {
  if (!/^[0-9a-f]{128}$/i.test(signature ?? "") || !/^\d{1,12}$/.test(timestamp ?? "")) return false;
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > FRESH_MS) return false;
  const signed = Buffer.concat([Buffer.from(timestamp ?? ""), body]);
  return verify(null, signed, key, Buffer.from(signature ?? "", "hex"));
}
