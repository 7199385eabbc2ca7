/**
 * Addresses that give an object to whoever has them, until their time is over, for a store that makes none itself. What
 * they say is signed, so nobody else can make one or change it; servers of one database have one key, so any of them takes it.
 */
import { timingSafeEqual } from "node:crypto";
import { Artifact } from "@kernelbot/core";
import { z } from "zod";

/** Signs the same bytes always alike. */
export interface LinkSigner {
  sign(bytes: Uint8Array): Buffer;
}

const Offer = z.object({ artifact: Artifact, until: z.int().positive() });

/** What is signed begins with this, which no receipt does: a signature of the one is none of the other. */
const PURPOSE = "kernelbot artifact link\n";

/** @param until The end, in milliseconds since 1970. */
export function writeLink(signer: LinkSigner, artifact: Artifact, until: number): string {
  const said = Buffer.from(JSON.stringify({ artifact, until })).toString("base64url");
  return `${said}.${signatureOf(signer, said).toString("base64url")}`;
}

/** What a link offers; null where it was not made here, or its time is over. */
export function readLink(signer: LinkSigner, link: string, now = Date.now()): Artifact | null {
  const [said = "", signature = ""] = link.split(".");
  const given = Buffer.from(signature, "base64url");
  const made = signatureOf(signer, said);
  if (given.length !== made.length || !timingSafeEqual(given, made)) return null;
  const { artifact, until } = Offer.parse(JSON.parse(Buffer.from(said, "base64url").toString()));
  return now < until ? Artifact.parse(artifact) : null;
}

function signatureOf(signer: LinkSigner, said: string): Buffer {
  return signer.sign(Buffer.from(PURPOSE + said));
}
