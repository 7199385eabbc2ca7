import { expect, test } from "vitest";
import { GIVE_UP_MS, PAUSE_AFTER, webhookBackoffMs, retryMs } from "./backoff.ts";

const tries = Array.from({ length: 12 }, (_, index) => index + 1);
const latest = () => 1;

test("retry delays grow fourfold, up to six hours", () => {
  expect(tries.map((n) => retryMs(n, latest) / 1000)).toEqual([
    10, 40, 160, 640, 2560, 10_240, 21_600, 21_600, 21_600, 21_600, 21_600, 21_600,
  ]);
});

test("jitter shortens a delay by up to half", () => {
  expect(retryMs(3, () => 0)).toBe(80_000);
  expect(webhookBackoffMs(1, () => 0)).toBe(2500);
});

test("a delivery is tried about ten times within a day", () => {
  let at = 0;
  const within = tries.filter((n) => (at += retryMs(n, latest)) < GIVE_UP_MS);
  expect(within).toHaveLength(9);
});

test("a failing webhook waits at most ten minutes between tries and is paused only after hours", () => {
  const rests = Array.from({ length: PAUSE_AFTER - 1 }, (_, index) => webhookBackoffMs(index + 1, () => 0));
  expect(Math.max(...rests)).toBe(300_000);
  expect(rests.reduce((sum, ms) => sum + ms)).toBeGreaterThan(3 * 3_600_000);
});
