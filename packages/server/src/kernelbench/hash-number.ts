import { createHash } from "node:crypto";

/** Returns a hash of a value as a number below 10^9, which readers compare to detect a change. Not monotonic. */
export function numberOf(value: unknown): number {
  return createHash("sha256").update(JSON.stringify(value)).digest().readUInt32BE() % 1_000_000_000;
}
