/**
 * Parses `Retry-After` (RFC 9110), in seconds or as a date.
 * @returns milliseconds from now, 0 for a date in the past; null if the value is missing or invalid.
 */
export function parseRetryAfter(value: string | null | undefined, nowMs = Date.now()): number | null {
  if (value == null) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
