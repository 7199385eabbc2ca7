import { UsageError } from "../exit.ts";

/** The number of a snapshot. @throws UsageError for what is none. */
export function snapshotId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id;
  throw new UsageError(`${JSON.stringify(text)} is no number of a snapshot; kernelbot dataset list has them`);
}
