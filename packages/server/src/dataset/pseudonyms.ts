/**
 * Names and numbers of those who want to be in the data without a name: the same in all files and all snapshots of a
 * server, and without its secret not to be told from chance.
 */
import { createHmac } from "node:crypto";

/** Above all real numbers, and below what a double holds exactly. */
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
