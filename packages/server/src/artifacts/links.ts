/**
 * Signed links: URLs that give an object to anyone who has them, until they expire, for stores that have no such links
 * themselves. The content is signed, so that links cannot be forged or changed. Servers of one database share the key
 * and accept each other's links.
 */
import { timingSafeEqual } from "node:crypto";
import { Artifact } from "@kernelbot/core";
import { z } from "zod";

/** Deterministic signer: equal bytes have equal signatures. */
export interface LinkSigner {
  sign(bytes: Uint8Array): Buffer;
}

const Offer = z.object({ artifact: Artifact, until: z.int().positive() });

/** Prefix of the signed text, which distinguishes links from receipts (domain separation). */
const PURPOSE = "kernelbot artifact link\n";

/** Creates a link. @param until Expiry, in milliseconds since 1970. */
export function writeLink(signer: LinkSigner, artifact: Artifact, until: number): string {
  const payload = Buffer.from(JSON.stringify({ artifact, until })).toString("base64url");
  return `${payload}.${signatureOf(signer, payload).toString("base64url")}`;
}

/** Returns the artifact of a link; null when the signature is invalid or the link has expired. */
export function readLink(signer: LinkSigner, link: string, now = Date.now()): Artifact | null {
  const [payload = "", signature = ""] = link.split(".");
  const signatureBytes = Buffer.from(signature, "base64url");
  const expected = signatureOf(signer, payload);
  if (signatureBytes.length !== expected.length || !timingSafeEqual(signatureBytes, expected)) return null;
  const { artifact, until } = Offer.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  return now < until ? Artifact.parse(artifact) : null;
}

function signatureOf(signer: LinkSigner, payload: string): Buffer {
  return signer.sign(Buffer.from(PURPOSE + payload));
}
