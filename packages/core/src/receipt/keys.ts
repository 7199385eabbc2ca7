/** Keys that sign receipts: Ed25519 (RFC 8032), as JSON Web Keys (RFC 8037). */
import { z } from "zod";
import { Hex256, sha256 } from "../text/digest.ts";

/** Public key. */
export const PublicKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  /** The 32 bytes of the key, in base64url. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, "use 43 characters of base64url"),
  /** Key id in receipts; see `keyId`. */
  kid: Hex256,
});
export type PublicKey = z.infer<typeof PublicKey>;

/** All keys that a server has signed with, newest first: receipts outlive the use of their key. */
export const KeyList = z.object({ keys: z.array(PublicKey) });

/** Returns the id of a key: its RFC 7638 thumbprint, in hexadecimal. A key's id therefore cannot be chosen freely. */
export function keyId(x: string): Promise<string> {
  return sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
}

/** Returns whether a signature of these bytes is valid for the key. */
export async function isSignedBy(
  key: PublicKey,
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { kty, crv, x } = key;
  const imported = await crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, bytes);
}
