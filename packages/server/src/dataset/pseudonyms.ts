/**
 * Pseudonyms of anonymous authors: equal in all files and all snapshots of a server, and indistinguishable from random
 * without the server's secret.
 */
import { createHmac } from "node:crypto";

/** Above all real ids, and small enough that a double represents every number exactly. */
const FIRST = 2n ** 52n;
const BITS = 51n;

export interface Pseudonyms {
  user(accountId: string): string;
  number(what: "submission" | "run", id: number): number;
}

export function openPseudonyms(secret: Uint8Array): Pseudonyms {
  function keyed(text: string): Buffer {
    return createHmac("sha256", secret).update(`kernelbot.pseudonym/1:${text}`).digest();
  }
  return {
    user: (accountId) => `anon-${keyed(`user:${accountId}`).toString("hex", 0, 6)}`,
    number: (what, id) => Number(FIRST + (keyed(`${what}:${id}`).readBigUInt64BE() >> (64n - BITS))),
  };
}
