/** Which part of a file is asked for: RFC 9110, section 14, as far as one part goes. */

export interface Part {
  /** Numbers of the first and the last byte. */
  first: number;
  last: number;
}

export interface Conditions {
  range: string | undefined;
  ifRange: string | undefined;
}

/**
 * The part that is asked for; null where it is all of it. Several parts, units that nobody knows, and a part of another
 * version are answered with all of it, as a server may.
 * @returns `unsatisfiable` where the file has nothing of it
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
