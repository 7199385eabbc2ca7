import { UsageError } from "../command/exit.ts";

/** Parses a snapshot's number. @throws UsageError when the text is not a positive integer. */
export function snapshotId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id;
  throw new UsageError(`${JSON.stringify(text)} is not the number of a snapshot; kernelbot dataset list shows them`);
}
