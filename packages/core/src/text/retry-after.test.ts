import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

test("Retry-After is in seconds, or a date", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const after = (value?: string) => parseRetryAfter(value, now);
  expect(after("2")).toBe(2000);
  expect(after("Sun, 01 Mar 2026 12:00:30 GMT")).toBe(30_000);
  expect(after("Sun, 01 Mar 2026 11:00:00 GMT")).toBe(0);
  expect([after("soon"), after()]).toEqual([null, null]);
});
