import { createHash } from "node:crypto";

/** A number by which a reader who comes back is told nothing that he knows: another for another value; it does not grow. */
export function numberOf(value: unknown): number {
  return createHash("sha256").update(JSON.stringify(value)).digest().readUInt32BE() % 1_000_000_000;
}
