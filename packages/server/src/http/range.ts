/** Range requests (RFC 9110, section 14) for a single part. */

export interface Part {
  /** Offset of the first and of the last byte, both inclusive. */
  first: number;
  last: number;
}

export interface Conditions {
  range: string | undefined;
  ifRange: string | undefined;
}

/**
 * Returns the requested part; null for the whole file. Several parts, unknown units, and a part of another version
 * (If-Range) are answered with the whole file, as the RFC allows.
 * @returns `unsatisfiable` where the file contains nothing of the part.
 */
export function partOf({ range, ifRange }: Conditions, etag: string, sizeBytes: number): Part | null | "unsatisfiable" {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range.trim()) ?? [];
  if (from === "" && to === "") return null;
  if (from === "") {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? "unsatisfiable" : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return null;
  if (first >= sizeBytes) return "unsatisfiable";
  return { first, last: to === "" ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
}
