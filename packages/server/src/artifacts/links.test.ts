import { generateKeyPairSync, sign as signWith } from "node:crypto";
import { expect, test } from "vitest";
import { readLink, writeLink, type LinkSigner } from "./links.ts";

const newSigner = (): LinkSigner => {
  const { privateKey } = generateKeyPairSync("ed25519");
  return { sign: (bytes) => signWith(null, bytes, privateKey) };
};
const signer = newSigner();
const ARTIFACT = { name: "a.txt", mediaType: "text/plain", sizeBytes: 3, sha256: "a".repeat(64) } as const;

test("a link is valid for its artifact until it expires", () => {
  const link = writeLink(signer, ARTIFACT, 1000);
  expect(link).toMatch(/^[\w-]+\.[\w-]+$/);
  expect(readLink(signer, link, 999)).toEqual(ARTIFACT);
  expect(readLink(signer, link, 1000)).toBe(null);
});

test("rejects a link that was modified or signed with another or no key", () => {
  const link = writeLink(signer, ARTIFACT, 1000);
  const [, signature] = link.split(".");
  const longer = Buffer.from(JSON.stringify({ artifact: ARTIFACT, until: 9999 })).toString("base64url");
  expect(readLink(signer, `${longer}.${signature}`, 1)).toBe(null);
  expect(readLink(newSigner(), link, 1)).toBe(null);
  for (const hostile of ["", ".", "a", "a.b", `${link}x`.slice(0, 40)]) expect(readLink(signer, hostile, 1)).toBe(null);
});
